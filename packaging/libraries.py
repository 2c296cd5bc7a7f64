"""Third-party works in the shared libraries of wheels and bundles.

Package metadata only covers the package itself: PyAV says BSD-3-Clause and includes FFmpeg, x264 and x265. A
library missing from these tables fails `packaging/notices.py` and a test.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

GPL2 = "GPL-2.0-or-later"
LGPL2 = "LGPL-2.1-or-later"


@dataclass(frozen=True)
class Library:
    """A third-party work.

    Attributes:
        name: Name used by its authors.
        licence: SPDX expression.
        files: Patterns for the stems of its files, such as `avcodec`.
        text: A file in `packaging/licences/libraries`, or a package that contains the text; empty if the
            licence's standard text is enough.
        source: Where its source is.
        version: What precedes the version in the file, if its name doesn't contain it.
    """

    name: str
    licence: str
    files: tuple[str, ...]
    text: str
    source: str
    version: str = ""


LIBRARIES: Final = (
    # PyAV
    Library(
        "FFmpeg",
        "GPL-3.0-or-later",
        ("avcodec", "avdevice", "avfilter", "avformat", "avutil", "swresample", "swscale"),
        "",
        "https://ffmpeg.org/",
        r"FFmpeg version n?([\d.]+)",
    ),
    Library("x264", GPL2, ("x264",), "", "https://code.videolan.org/videolan/x264"),
    Library("x265", GPL2, ("x265",), "", "https://bitbucket.org/multicoreware/x265_git"),
    Library(
        "SVT-AV1", "BSD-3-Clause-Clear", ("svtav1enc",), "svt-av1", "https://gitlab.com/AOMediaCodec/SVT-AV1"
    ),
    Library("dav1d", "BSD-2-Clause", ("dav1d",), "dav1d", "https://code.videolan.org/videolan/dav1d"),
    Library("libvpx", "BSD-3-Clause", ("vpx",), "libvpx", "https://chromium.googlesource.com/webm/libvpx"),
    Library("Opus", "BSD-3-Clause", ("opus",), "opus", "https://opus-codec.org/"),
    Library("LAME", "LGPL-2.0-or-later", ("mp3lame",), "", "https://lame.sourceforge.io/"),
    Library(
        "OpenCORE AMR",
        "Apache-2.0",
        ("opencore-amrnb", "opencore-amrwb"),
        "opencore-amr",
        "https://opencore-amr.sourceforge.io/",
    ),
    Library("VMAF", "BSD-2-Clause-Patent", ("vmaf",), "vmaf", "https://github.com/Netflix/vmaf"),
    Library("oneVPL", "MIT", ("vpl",), "libvpl", "https://github.com/intel/libvpl"),
    Library("ALSA library", LGPL2, ("asound",), "", "https://www.alsa-project.org/"),
    Library("libdrm", "MIT", ("drm",), "libdrm", "https://gitlab.freedesktop.org/mesa/drm"),
    Library("GnuTLS", LGPL2, ("gnutls",), "", "https://www.gnutls.org/"),
    Library(
        "Nettle",
        "LGPL-3.0-or-later OR GPL-2.0-or-later",
        ("nettle", "hogweed"),
        "",
        "https://www.lysator.liu.se/",
    ),
    Library("GMP", "LGPL-3.0-or-later OR GPL-2.0-or-later", ("gmp", "gmpxx"), "", "https://gmplib.org/"),
    Library(
        "libunistring",
        "LGPL-3.0-or-later OR GPL-2.0-or-later",
        ("unistring",),
        "",
        "https://www.gnu.org/software/libunistring/",
    ),
    Library("libiconv", LGPL2, ("iconv", "charset"), "", "https://www.gnu.org/software/libiconv/"),
    # Pillow and pi-heif
    Library(
        "libwebp",
        "BSD-3-Clause",
        ("webp", "webpmux", "webpdemux", "sharpyuv"),
        "libwebp",
        "https://webmproject.org/",
    ),
    Library("libavif", "BSD-2-Clause", ("avif",), "pillow", "https://github.com/AOMediaCodec/libavif"),
    Library("AOM", "BSD-2-Clause", ("aom",), "aom", "https://aomedia.googlesource.com/aom/"),
    Library("libyuv", "BSD-3-Clause", ("yuv",), "libyuv", "https://chromium.googlesource.com/libyuv/libyuv"),
    Library("Brotli", "MIT", ("brotlicommon", "brotlidec"), "pillow", "https://github.com/google/brotli"),
    Library("FreeType", "FTL", ("freetype",), "pillow", "https://freetype.org/"),
    Library("HarfBuzz", "MIT-Modern-Variant", ("harfbuzz",), "pillow", "https://harfbuzz.github.io/"),
    Library(
        "libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib", ("jpeg",), "pillow", "https://libjpeg-turbo.org/"
    ),
    Library("Little CMS", "MIT", ("lcms2",), "pillow", "https://www.littlecms.com/"),
    Library("XZ Utils, liblzma", "0BSD", ("lzma",), "pillow", "https://tukaani.org/xz/"),
    Library("OpenJPEG", "BSD-2-Clause", ("openjp2",), "pillow", "https://www.openjpeg.org/"),
    Library("libpng", "libpng-2.0", ("png16",), "pillow", "http://www.libpng.org/"),
    Library("LibTIFF", "libtiff", ("tiff",), "pillow", "https://libtiff.gitlab.io/libtiff/"),
    Library("Zstandard", "BSD-3-Clause", ("zstd",), "pillow", "https://facebook.github.io/zstd/"),
    Library("zlib", "Zlib", ("z", "zlib", "zlib1"), "zlib", "https://zlib.net/"),
    Library("libheif", "LGPL-3.0-or-later", ("heif",), "", "https://github.com/strukturag/libheif"),
    Library("libde265", "LGPL-3.0-or-later", ("de265",), "", "https://github.com/strukturag/libde265"),
    # X11 and the desktop
    Library("libXau", "MIT", ("xau",), "libxau", "https://gitlab.freedesktop.org/xorg/lib/libxau"),
    Library("libxcb", "MIT", ("xcb", "xcb-[a-hj-z]*"), "xcb", "https://xcb.freedesktop.org/"),
    Library("xcb-util-cursor", "MIT", ("xcb-cursor",), "xcb-util-cursor", "https://xcb.freedesktop.org/"),
    Library("xcb-util-wm", "MIT", ("xcb-icccm", "xcb-ewmh"), "xcb-util-wm", "https://xcb.freedesktop.org/"),
    Library("xcb-util-image", "MIT", ("xcb-image",), "xcb-util-image", "https://xcb.freedesktop.org/"),
    Library("xcb-util-keysyms", "MIT", ("xcb-keysyms",), "xcb-util-keysyms", "https://xcb.freedesktop.org/"),
    Library(
        "xcb-util-renderutil",
        "MIT",
        ("xcb-render-util",),
        "xcb-util-renderutil",
        "https://xcb.freedesktop.org/",
    ),
    Library("xcb-util", "MIT", ("xcb-util",), "xcb-util", "https://xcb.freedesktop.org/"),
    Library("libxkbcommon", "MIT", ("xkbcommon", "xkbcommon-x11"), "libxkbcommon", "https://xkbcommon.org/"),
    Library("D-Bus", "AFL-2.1 OR GPL-2.0-or-later", ("dbus-1",), "dbus", "https://dbus.freedesktop.org/"),
    Library("systemd, libsystemd", LGPL2, ("systemd",), "", "https://systemd.io/"),
    Library(
        "libcap",
        "BSD-3-Clause OR GPL-2.0-only",
        ("cap",),
        "libcap",
        "https://sites.google.com/site/fullycapable/",
    ),
    Library("Libgcrypt", LGPL2, ("gcrypt",), "", "https://gnupg.org/"),
    Library("libgpg-error", LGPL2, ("gpg-error",), "", "https://gnupg.org/"),
    Library("LZ4", "BSD-2-Clause", ("lz4",), "lz4", "https://lz4.org/"),
    Library(
        "GLib",
        LGPL2,
        ("glib-2.0", "gio-2.0", "gobject-2.0", "gmodule-2.0", "gthread-2.0"),
        "",
        "https://gitlab.gnome.org/GNOME/glib",
    ),
    # Qt
    Library("Qt", "LGPL-3.0-only", ("qt6*", "qt", "qt[a-z]*"), "", "https://code.qt.io/"),
    Library(
        "ICU",
        "Unicode-3.0",
        ("icudata", "icui18n", "icuuc", "icudt*", "icuin*", "icuio*", "icutu*", "icutest*", "icu*"),
        "icu",
        "https://icu.unicode.org/",
    ),
    Library("PySide6 and Shiboken", "LGPL-3.0-only", ("pyside6*", "shiboken6*"), "", "https://code.qt.io/"),
    Library("Mesa 3D, software OpenGL", "MIT", ("opengl32sw",), "libdrm", "https://mesa3d.org/"),
    Library(
        "Microsoft Visual C++ runtime",
        "LicenseRef-Microsoft-Redistributable",
        ("concrt*", "msvcp*", "vcamp*", "vccorlib*", "vcomp*", "vcruntime*", "ucrtbase", "api-ms-*"),
        "",
        "https://learn.microsoft.com/cpp/windows/redistributing-visual-cpp-files",
    ),
    # Python and what it is linked with
    Library("Python", "PSF-2.0", ("python3*", "python"), "python", "https://www.python.org/"),
    Library(
        "OpenSSL",
        "Apache-2.0",
        ("ssl", "crypto", "ssl-3-x64", "crypto-3-x64"),
        "openssl",
        "https://www.openssl.org/",
    ),
    Library("SQLite", "blessing", ("sqlite3",), "sqlite", "https://www.sqlite.org/"),
    Library("libffi", "MIT", ("ffi",), "libffi", "https://sourceware.org/libffi/"),
    Library("bzip2", "bzip2-1.0.6", ("bz2",), "bzip2", "https://sourceware.org/bzip2/"),
    Library("Expat", "MIT", ("expat",), "expat", "https://libexpat.github.io/"),
    Library("libuuid", "BSD-3-Clause", ("uuid",), "libuuid", "https://github.com/util-linux/util-linux"),
    Library(
        "MIT Kerberos",
        "MIT",
        ("gssapi_krb5", "k5crypto", "krb5", "krb5support"),
        "krb5",
        "https://web.mit.edu/kerberos/",
    ),
    Library("com_err", "MIT", ("com_err",), "com-err", "https://e2fsprogs.sourceforge.net/"),
    Library(
        "keyutils",
        LGPL2,
        ("keyutils",),
        "",
        "https://git.kernel.org/pub/scm/linux/kernel/git/dhowells/keyutils.git",
    ),
    Library("GNU C library", LGPL2, ("mvec",), "", "https://www.gnu.org/software/libc/"),
    Library(
        "GCC runtime",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        ("gcc_s", "gcc_s_seh", "stdc++", "gomp", "quadmath", "atomic"),
        "gcc-runtime",
        "https://gcc.gnu.org/",
    ),
    Library(
        "MinGW-w64, winpthreads",
        "MIT AND BSD-3-Clause",
        ("winpthread",),
        "winpthreads",
        "https://www.mingw-w64.org/",
    ),
    # pyenchant on Windows
    Library(
        "Enchant",
        LGPL2,
        ("enchant", "enchant-2", "enchant_hunspell", "enchant_nuspell"),
        "",
        "https://rrthomas.github.io/enchant/",
    ),
    Library(
        "Hunspell",
        "LGPL-2.1-or-later OR GPL-2.0-or-later OR MPL-1.1",
        ("hunspell-1.7",),
        "",
        "https://hunspell.github.io/",
    ),
    Library("Nuspell", "LGPL-3.0-or-later", ("nuspell",), "", "https://nuspell.github.io/"),
    Library("gettext", LGPL2, ("intl", "asprintf", "gettext*"), "", "https://www.gnu.org/software/gettext/"),
    Library("PCRE2", "BSD-3-Clause", ("pcre2*",), "pcre2", "https://www.pcre.org/"),
    Library(
        "ncurses",
        "X11-distribute-modifications-variant",
        ("ncurses*", "formw6", "menuw6", "panelw6"),
        "ncurses",
        "https://invisible-island.net/ncurses/",
    ),
    Library(
        "GNU Readline",
        "GPL-3.0-or-later",
        ("readline8", "history8"),
        "",
        "https://tiswww.case.edu/php/chet/readline/rltop.html",
    ),
    Library("GNU Termcap", "GPL-2.0-or-later", ("termcap",), "", "https://www.gnu.org/software/termutils/"),
    Library("libedit", "BSD-3-Clause", ("edit",), "libedit", "https://thrysoee.dk/editline/"),
    Library("isl", "MIT", ("isl",), "isl", "https://libisl.sourceforge.io/"),
    Library("GNU MPC", "LGPL-3.0-or-later", ("mpc",), "", "https://www.multiprecision.org/mpc/"),
    Library("GNU MPFR", "LGPL-3.0-or-later", ("mpfr",), "", "https://www.mpfr.org/"),
    Library(
        "mpdecimal", "BSD-2-Clause", ("mpdec", "mpdec++"), "mpdecimal", "https://www.bytereef.org/mpdecimal/"
    ),
    Library("TRE", "BSD-2-Clause", ("tre", "systre"), "tre", "https://github.com/laurikari/tre"),
    Library("Tcl and Tk", "TCL", ("tcl86", "tk86"), "tcl", "https://www.tcl-lang.org/"),
    # pywin32 on Windows; installers leave out Scintilla
    Library(
        "Python for Windows Extensions",
        "BSD-3-Clause",
        ("pythoncom3*", "pywintypes3*", "pyisapi_loader", "perfmondata"),
        "pywin32",
        "https://github.com/mhammond/pywin32",
    ),
    Library("Scintilla", "HPND", ("scintilla",), "scintilla", "https://www.scintilla.org/"),
    # psycopg, which only servers have
    Library("libpq", "PostgreSQL", ("pq",), "libpq", "https://www.postgresql.org/"),
    Library("OpenLDAP", "OLDAP-2.8", ("lber", "ldap"), "openldap", "https://www.openldap.org/"),
    Library(
        "Cyrus SASL", "BSD-3-Clause-Attribution", ("sasl2",), "cyrus-sasl", "https://www.cyrusimap.org/sasl/"
    ),
    Library("libxcrypt", LGPL2, ("crypt",), "", "https://github.com/besser82/libxcrypt"),
)

STATIC: Final = (
    ("cryptography", "OpenSSL", b"OpenSSL "),
    ("uvloop", "libuv", b"uv_"),
    ("httptools", "llhttp", b"llhttp"),
    ("aiohttp", "llhttp", b"llhttp"),
    ("argon2-cffi-bindings", "Argon2", b"argon2id"),
    ("pillow", "AOM", b""),
    ("pillow", "libyuv", b""),
    ("PySide6-Essentials", "PCRE2", b""),
    ("PySide6-Essentials", "double-conversion", b""),
    ("PySide6-Essentials", "MD4C", b""),
    ("PySide6-Essentials", "BLAKE2, libb2", b""),
)
"""Works inside extension modules or other libraries: package, work, and bytes that prove it."""
LINKED_IN: Final = (
    Library("libuv", "MIT", (), "libuv", "https://libuv.org/"),
    Library("llhttp", "MIT", (), "llhttp", "https://llhttp.org/"),
    Library("Argon2", "CC0-1.0 OR Apache-2.0", (), "argon2", "https://github.com/P-H-C/phc-winner-argon2"),
    Library(
        "double-conversion",
        "BSD-3-Clause",
        (),
        "double-conversion",
        "https://github.com/google/double-conversion",
    ),
    Library("MD4C", "MIT", (), "md4c", "https://github.com/mity/md4c"),
    Library("BLAKE2, libb2", "CC0-1.0", (), "libb2", "https://blake2.net/"),
)
"""Works that are never separate files."""

_IS_LIBRARY: Final = re.compile(r"\.so(\.[\d.]+)?$|\.dylib$|\.dll$", re.IGNORECASE)
_IS_MODULE: Final = re.compile(r"\.cpython-|\.abi3\.so$|\.pyd$", re.IGNORECASE)
_OF_QT: Final = re.compile(r"(^|/)(PySide6|shiboken6)/.*(plugins|qml)/|/Qt\w*\.framework/")


def stem(name: str) -> str:
    """Return `avcodec` for `libavcodec-5e6b81c2.so.62.28.102` and `avcodec-63-2756....dll`."""
    text = re.sub(r"(\.zlib-ng)?(\.so[\d.]*|\.dylib|\.dll)$", "", name, flags=re.IGNORECASE).lower()
    text = re.sub(r"-[0-9a-f]{8,32}$", "", text)
    if not text.startswith(("libglib-2", "libgio-2", "libg")):
        text = re.sub(r"(\.\d+)+$", "", text)
    if not text.endswith(("dbus-1", "enchant-2")):
        text = re.sub(r"-\d{1,3}(-\d{1,3})?$", "", text)
    return text.removeprefix("lib")


def library_of(file: Path, below: Path) -> Library | None:
    """Return the work of a shared library; None if it's unknown."""
    if _OF_QT.search(file.relative_to(below).as_posix()):
        return next(each for each in LIBRARIES if each.name == "Qt")
    found = stem(file.name)
    return next(
        (each for each in LIBRARIES if any(fnmatchcase(found, wanted) for wanted in each.files)), None
    )


def shared_libraries(folder: Path) -> Iterator[Path]:
    """Yield every shared library in a folder that isn't a Python module."""
    for file in sorted(folder.rglob("*")):
        if _IS_LIBRARY.search(file.name) and not _IS_MODULE.search(file.name) and file.is_file():
            yield file


def unknown(files: Iterable[Path], below: Path) -> list[str]:
    """Return the names of files that aren't in LIBRARIES."""
    return sorted(file.relative_to(below).as_posix() for file in files if library_of(file, below) is None)


def version_of(library: Library, file: Path) -> str:
    """Return the version in the file's content, or in its name; empty if neither has one."""
    if library.version:
        found = re.search(library.version.encode(), file.read_bytes())
        return found[1].decode() if found is not None else ""
    named = re.search(r"(?:\.so\.|-|\.)(\d+(?:\.\d+)*)(?:\.zlib-ng)?(?:\.dylib|\.dll)?$", file.name)
    return named[1] if named is not None else ""
