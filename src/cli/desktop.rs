//! The program as the desktop of Windows starts it, from an icon or by files dropped on that: nobody sees what it prints.

/// Leaves the console that Windows opened for this program alone, so that it does not stay behind the window. Returns
/// `true` if the program was started from the desktop; on other systems that makes no difference, and it is `false`.
#[cfg(windows)]
pub fn leave_console() -> bool {
    use std::io::IsTerminal as _;
    use windows_sys::Win32::System::Console::{FreeConsole, GetConsoleProcessList, GetStdHandle, STD_ERROR_HANDLE};

    let mut processes = [0; 2];
    // SAFETY: the list has room for as many numbers as are asked for.
    match unsafe { GetConsoleProcessList(processes.as_mut_ptr(), 2) } {
        // Windows opens none for a program whose manifest asks for that. A script may open none either, but it has given
        // the program a place for its errors.
        // SAFETY: the function only returns a handle.
        0 => unsafe { GetStdHandle(STD_ERROR_HANDLE) }.is_null(),
        // A terminal in which it was started would be the other process.
        1 if std::io::stderr().is_terminal() => {
            // SAFETY: what is printed from now on goes nowhere.
            unsafe { FreeConsole() };
            true
        }
        _ => false,
    }
}

#[cfg(not(windows))]
pub const fn leave_console() -> bool {
    false
}
