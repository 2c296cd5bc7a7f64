"""Code that verifies a delivery's signature, in four languages."""

from typing import Final

_PYTHON = """\
import hashlib, hmac

def verify(raw, header, secret):
    # raw: bytes as they came
    mac = hmac.new(secret.encode(), raw,
                   hashlib.sha256)
    want = "sha256=" + mac.hexdigest()
    return hmac.compare_digest(
        want.encode(), header.encode())
"""
_NODE = """\
const { createHmac, timingSafeEqual } =
  require("node:crypto");

function verify(raw, header, secret) {
  // raw: bytes as they came
  const mac = createHmac("sha256", secret);
  const want = Buffer.from(
    "sha256=" + mac.update(raw).digest("hex"));
  const got = Buffer.from(header);
  return want.length === got.length
    && timingSafeEqual(want, got);
}
"""
_PHP = """\
function verify(
    string $raw, string $header, string $secret
): bool {
    // $raw: bytes as they came
    $mac = hash_hmac("sha256", $raw, $secret);
    return hash_equals("sha256=" . $mac, $header);
}
"""
_GO = """\
import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

func Verify(raw []byte, header, secret string) bool {
	// raw: bytes as they came
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(raw)
	want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(header))
}
"""
SNIPPETS: Final = {
    "python": ("Python", _PYTHON),
    "node": ("Node", _NODE),
    "php": ("PHP", _PHP),
    "go": ("Go", _GO),
}
"""By language: its name, and a function that checks the signature of the body."""
