/* A STAND-IN for kalends.exe, for trying the installer under wine. It is not Kalends and is never given out.
 *
 * It behaves as the app does towards an installer: one instance listens on a named pipe (the door) and keeps its
 * own file open by running; a second start hands its arguments over and ends; `--quit` asks the first to quit and
 * waits until it has ended. What it was given goes into %LOCALAPPDATA%\kalends\handed.txt, in UTF-8. VERSION is
 * defined by the build and written to running.txt while it runs. Where STAND_IN_STAYS is set it hears `--quit` and
 * goes on, as an app that hangs.
 */
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

#define DOOR L"\\\\.\\pipe\\kalends-stand-in"
#define LONGEST 8192
#define LEAVING_MS 700 /* the app needs a moment for its service and its database, too */

static const wchar_t *data_path(const wchar_t *name) {
    static wchar_t path[MAX_PATH * 2];
    GetEnvironmentVariableW(L"LOCALAPPDATA", path, MAX_PATH);
    wcscat(path, L"\\kalends");
    CreateDirectoryW(path, NULL);
    wcscat(path, L"\\");
    return wcscat(path, name);
}

static void remember(const wchar_t *words) {
    char bytes[LONGEST * 3];
    int size = WideCharToMultiByte(CP_UTF8, 0, words, -1, bytes, sizeof bytes, NULL, NULL);
    FILE *file = _wfopen(data_path(L"handed.txt"), L"ab");
    fwrite(bytes, 1, size - 1, file);
    fputs("\n", file);
    fclose(file);
}

static int hand_over(const wchar_t *words) {
    DWORD done = 0;
    HANDLE door = INVALID_HANDLE_VALUE;
    for (int tries = 0; door == INVALID_HANDLE_VALUE && tries < 200; tries++) { /* it may have only just started */
        if (tries) Sleep(50);
        door = CreateFileW(DOOR, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    }
    if (door == INVALID_HANDLE_VALUE) return 0;
    WriteFile(door, words, (DWORD)((wcslen(words) + 1) * sizeof *words), &done, NULL);
    FlushFileBuffers(door);
    ReadFile(door, &done, 1, &done, NULL); /* until it hangs up */
    CloseHandle(door);
    return 1;
}

static int live(void) {
    static wchar_t words[LONGEST];
    FILE *running = _wfopen(data_path(L"running.txt"), L"wb");
    fputs(VERSION " (stand-in)\n", running);
    fclose(running);
    for (;;) {
        DWORD read = 0;
        HANDLE door = CreateNamedPipeW(DOOR, PIPE_ACCESS_DUPLEX, PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE, 1,
                                       LONGEST, LONGEST, 0, NULL);
        if (door == INVALID_HANDLE_VALUE) return 3;
        if (ConnectNamedPipe(door, NULL) || GetLastError() == ERROR_PIPE_CONNECTED)
            ReadFile(door, words, sizeof words - sizeof *words, &read, NULL);
        words[read / sizeof *words] = 0;
        if (read && wcscmp(words, L"--quit")) remember(words);
        DisconnectNamedPipe(door);
        CloseHandle(door);
        if (read && !wcscmp(words, L"--quit") && !GetEnvironmentVariableW(L"STAND_IN_STAYS", words, LONGEST)) {
            Sleep(LEAVING_MS);
            _wremove(data_path(L"running.txt"));
            return 0;
        }
    }
}

int wmain(int count, wchar_t **arguments) {
    static wchar_t words[LONGEST];
    for (int at = 1; at < count; at++) {
        if (!wcscmp(arguments[at], L"--")) continue;
        if (words[0]) wcscat(words, L"|");
        wcsncat(words, arguments[at], 2000);
    }
    HANDLE only = CreateMutexW(NULL, FALSE, L"kalends-stand-in");
    int is_second = GetLastError() == ERROR_ALREADY_EXISTS;
    if (!wcscmp(words, L"--quit")) {
        if (!is_second) return 0;
        hand_over(words);
        return 0;
    }
    if (is_second) return hand_over(words) ? 0 : 1;
    (void)only;
    if (words[0]) remember(words);
    return live();
}
