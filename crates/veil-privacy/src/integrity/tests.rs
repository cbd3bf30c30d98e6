use std::fs;
use std::path::Path;

use super::*;

fn folder() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    fs::create_dir(home.path().join("inner")).expect("a folder inside");
    fs::write(home.path().join("one.txt"), "1").expect("a file");
    fs::write(home.path().join("inner/two.txt"), "2").expect("a file inside");
    Digests::write(home.path()).expect("digests");
    home
}

fn signed() -> (tempfile::TempDir, SigningKey) {
    let (home, key) = (folder(), SigningKey::from_os().expect("randomness"));
    sign(home.path(), &key).expect("a signature");
    (home, key)
}

fn edited(home: &Path, file: &str, text: &str) {
    fs::write(home.join(file), text).expect("edited");
}

#[test]
fn a_changed_or_missing_file_is_noticed() {
    let home = folder();
    assert_eq!(check(home.path()).expect("unchanged"), Integrity::Digests);
    edited(home.path(), "inner/two.txt", "3");
    fs::remove_file(home.path().join("one.txt")).expect("removed");
    let error = check(home.path()).expect_err("changed").to_string();
    assert!(error.ends_with("changed inner/two.txt; missing one.txt"), "{error}");
}

#[test]
fn an_added_file_is_a_change_of_a_signed_folder_only() {
    let home = folder();
    edited(home.path(), "notes.txt", "mine");
    assert_eq!(check(home.path()).expect("not listed"), Integrity::Digests);
    let (home, _) = signed();
    edited(home.path(), "notes.txt", "mine");
    assert!(matches!(check(home.path()), Err(IntegrityError::Changed { .. })));
}

#[test]
fn a_signed_folder_that_was_edited_is_refused_even_with_new_digests() {
    let (home, key) = signed();
    assert_eq!(check(home.path()).expect("as signed"), Integrity::Signed(key.public()));
    edited(home.path(), "one.txt", "0");
    assert!(matches!(check(home.path()), Err(IntegrityError::Changed { .. })));
    // New digests under the old signature.
    let signature = fs::read(home.path().join(SIGNATURE)).expect("a signature");
    Digests::write(home.path()).expect("new digests");
    assert_eq!(check(home.path()).expect("no signature any more"), Integrity::Digests);
    fs::write(home.path().join(SIGNATURE), signature).expect("the old signature");
    assert!(matches!(check(home.path()), Err(IntegrityError::Forged { .. })));
    // And without digests.
    fs::remove_file(home.path().join("digests.json")).expect("removed");
    assert!(matches!(check(home.path()), Err(IntegrityError::Forged { .. })));
}

#[test]
fn a_reader_who_knows_the_key_accepts_no_other() {
    let (home, key) = signed();
    check_signed(home.path(), &key.public()).expect("the owner's");
    let other = SigningKey::from_os().expect("randomness");
    assert!(matches!(check_signed(home.path(), &other.public()), Err(IntegrityError::OtherKey { .. })));
    sign(home.path(), &other).expect("signed again by another");
    assert!(matches!(check_signed(home.path(), &key.public()), Err(IntegrityError::OtherKey { .. })));
    assert!(matches!(check_signed(folder().path(), &key.public()), Err(IntegrityError::NotSigned { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let home = folder();
    std::os::unix::fs::symlink("/etc/passwd", home.path().join("link")).expect("a link");
    assert!(matches!(check(home.path()), Err(IntegrityError::NotAFile { .. })));
}

#[test]
fn keys_survive_their_files() {
    let (home, key) = (tempfile::tempdir().expect("a folder"), SigningKey::from_os().expect("randomness"));
    let (secret, public) = (home.path().join("owner.key"), home.path().join("owner.pub"));
    fs::write(&secret, key.to_pem().expect("text").as_bytes()).expect("written");
    fs::write(&public, key.public().to_pem().expect("text")).expect("written");
    assert_eq!(SigningKey::read(&secret).expect("read").public(), key.public());
    assert_eq!(PublicKey::read(&public).expect("read"), key.public());
    assert!(PublicKey::read(&secret).is_err() && SigningKey::read(&public).is_err());
    assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public()));
}
