//! The bugs of the runtime that chaos has found and that are not mended yet. Each keeps one kind of fault or one setting
//! out of the tests, by its name here; without that line the test named in it fails.
