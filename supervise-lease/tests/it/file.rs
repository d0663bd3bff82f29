//! `FileLease`.

use std::fs;

use supervise::lease::Acquired;
use supervise_lease::FileLease;

use super::*;

const TTL: Duration = Duration::from_millis(900);

fn lease(path: &Path) -> FileLease {
    FileLease::new(path).ttl(TTL)
}

/// S55: one of two has the lock; the token grows with each holding, over all processes that use the file.
#[tokio::test]
async fn a_file_has_one_holder_and_a_token_that_grows() {
    let folder = Folder::new();
    let path = folder.path("lease");
    let (one, two) = (lease(&path), lease(&path));
    assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 1, released: false }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "00000000000000000001 held\n");
    assert_eq!((two.acquire().await.unwrap(), one.acquire().await.unwrap()), (None, None));
    assert!(one.renew(1).await.unwrap() && !one.renew(2).await.unwrap() && !two.renew(1).await.unwrap());
    two.release(1).await.unwrap(); // of another one: no effect
    assert_eq!(two.acquire().await.unwrap(), None);
    one.release(1).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "00000000000000000001 released\n");
    assert_eq!(two.acquire().await.unwrap(), Some(Acquired { token: 2, released: true }));
    drop(two); // as at the end of its process
    assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 3, released: false }));
}

/// S55: a holder that did not give its file back gets it again once the time is over, with a new token.
#[tokio::test]
async fn a_file_that_was_not_given_back_is_held_again_after_its_time() {
    let folder = Folder::new();
    let path = folder.path("lease");
    let one = lease(&path);
    one.acquire().await.unwrap().unwrap();
    assert_eq!(one.acquire().await.unwrap(), None);
    tokio::time::sleep(TTL).await;
    assert_eq!(lease(&path).acquire().await.unwrap(), None, "the lock has no time");
    assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 2, released: false }));
    assert!(!one.renew(1).await.unwrap());
}

/// S55: a file that was removed, replaced, or is no lease.
#[tokio::test]
async fn a_file_that_is_not_there_any_more_is_lost() {
    let folder = Folder::new();
    let path = folder.path("lease");
    let one = lease(&path);
    one.acquire().await.unwrap().unwrap();
    fs::remove_file(&path).unwrap();
    assert!(!one.renew(1).await.unwrap());
    fs::write(&path, "00000000000000000041 held\n").unwrap();
    assert!(!one.renew(1).await.unwrap());
    assert_eq!(lease(&path).acquire().await.unwrap(), Some(Acquired { token: 42, released: false }));

    let other = folder.path("other");
    for text in ["hello\n", "7\n", "7 held", "-7 held\n", "7 lost\n"] {
        fs::write(&other, text).unwrap();
        let error = lease(&other).acquire().await.unwrap_err();
        assert!(error.as_error().to_string().contains("the file is no lease; write"), "{text:?}");
    }
    fs::write(&other, format!("{} held\n", u64::MAX)).unwrap();
    assert!(lease(&other).acquire().await.is_err());
    let error = lease(&folder.path("no/folder")).acquire().await.unwrap_err();
    assert!(error.as_error().to_string().contains("no/folder: No such file"), "{}", error.as_error());
}

/// A replica of the tests below.
#[test]
#[ignore = "a process of another test"]
fn replica() {
    let Some(folder) = folder_of_process() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run(in_folder(&folder, "log"), lease(&in_folder(&folder, "lease"))));
}

/// S55: two processes contend. A killed one is replaced at once; a frozen one keeps the lock, and acts no more once it
/// thaws.
#[test]
fn processes_are_killed_and_frozen() {
    let folder = Folder::new();
    let first = Process::new("file::replica", &folder, "");
    folder.wait("the first acts", |folder| folder.acts() > 5);
    let second = Process::new("file::replica", &folder, "");
    std::thread::sleep(TTL);
    assert_eq!(folder.tokens(), [1]);
    drop(first);
    folder.wait("the second acts", |folder| folder.tokens() == [1, 2]);

    second.signal("STOP");
    std::thread::sleep(PACE * 20); // until the signal has taken effect
    let acts = folder.acts();
    let _third = Process::new("file::replica", &folder, "");
    std::thread::sleep(TTL * 2);
    assert_eq!(folder.acts(), acts, "nobody takes over from a frozen one");
    second.signal("CONT");
    folder.wait("one of them acts again", |folder| folder.tokens().len() > 2);
    let tokens = folder.tokens();
    assert!(tokens.is_sorted(), "{tokens:?}");
}
