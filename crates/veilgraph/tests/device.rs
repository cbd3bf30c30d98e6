//! Stories about `veil device`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::{Value, json};
use world::{World, json as read};

/// Three nodes in a row, 0–1–2, each with a folder of its own.
fn row(parameters: &Value) -> World {
    let home = World::new();
    for (node, neighbours) in [vec![1], vec![0, 2], vec![1]].into_iter().enumerate() {
        let vector = json!({ "signs": [[node, node % 2 == 0]] });
        let features = json!({ "dimensions": 4, "offset": 0.5, "scale": 2.5, "vector": vector });
        let me = json!({
            "me": node, "nodes": 3, "neighbours": neighbours, "features": features, "parameters": parameters,
        });
        home.write(&format!("{node}/me.json"), me.to_string());
        home.write(&format!("{node}/inbox.jsonl"), "");
    }
    home
}

fn command(protocol: &str, node: usize) -> String {
    format!("device --protocol {protocol} --me {node}/me.json --inbox {node}/inbox.jsonl --out {node}/report.json")
}

/// One turn: every device runs, then its messages are carried to the inboxes. Whether all have
/// reported.
fn turn(home: &World, protocol: &str) -> bool {
    let parts: Vec<Value> = (0..3)
        .map(|node| {
            home.veil(&command(protocol, node)).succeeds();
            read(home, &format!("{node}/report.json"))
        })
        .collect();
    for message in parts.iter().flat_map(|part| part["messages"].as_array().unwrap()) {
        let Some(to) = message["to"].as_u64() else { continue };
        let inbox = format!("{to}/inbox.jsonl");
        let mut lines = home.read(&inbox);
        lines.extend(format!("{message}\n").bytes());
        home.write(&inbox, lines);
    }
    parts.iter().all(|part| !part["report"].is_null())
}

#[test]
fn a_device_makes_its_key_once_and_then_always_the_same_report() {
    let home = row(&json!({ "epsilon-edges": 1 }));
    home.veil(&command("neighbour-krr", 1)).succeeds().says("a report of 2 nodes").says("proven");
    assert_eq!(home.list("1"), [".me.key.lock", "inbox.jsonl", "me.json", "me.key", "report.json"]);
    let report = home.read("1/report.json");
    let nodes = read(&home, "1/report.json")["report"].as_array().unwrap().clone();
    assert!(nodes.len() == 2 && nodes.iter().all(|node| [0, 2].map(Value::from).contains(node)), "{nodes:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = home.path("1/me.key").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let key = home.read("1/me.key");
    let shown = home.veil(&format!("{} --json", command("neighbour-krr", 1))).succeeds().json();
    assert_eq!((home.read("1/report.json"), home.read("1/me.key")), (report, key.clone()));
    assert_eq!((shown["report"].clone(), shown["me"].clone()), (Value::from(nodes), json!(1)));
    // Digits of the key are nowhere but in its file.
    let digits = String::from_utf8(key[..64].to_vec()).unwrap();
    assert!(digits.bytes().all(|digit| digit.is_ascii_hexdigit()) && !shown.to_string().contains(&digits));
}

#[test]
fn a_key_makes_no_second_report() {
    let home = row(&json!({ "epsilon-edges": 1, "clusters": 2 }));
    home.write("1/inbox.jsonl", "{\"from\": \"server\", \"round\": 0, \"clusters\": [0, 0, 1]}\n");
    home.veil(&command("degree-vectors", 1)).succeeds();
    let before = (home.read("1/report.json"), home.read("1/me.key"));
    // A server that asks again with other clusters would get the true counts as a difference.
    home.write("1/inbox.jsonl", "{\"from\": \"server\", \"round\": 0, \"clusters\": [1, 1, 0]}\n");
    home.veil(&command("degree-vectors", 1))
        .fails_with(1)
        .says("has already been used for another report")
        .says("--key");
    home.write("1/inbox.jsonl", "");
    home.veil(&command("edge-flip", 1)).fails_with(1).says("has already been used for another report");
    assert_eq!((home.read("1/report.json"), home.read("1/me.key")), before);
    home.veil(&format!("{} --key 1/second.key", command("edge-flip", 1))).succeeds();
}

#[test]
fn a_key_is_for_the_rounds_that_were_paid_for() {
    let ask = |round| format!("{{\"from\": \"server\", \"round\": {round}, \"clusters\": [0, 0, 1]}}\n");
    let home = row(&json!({ "epsilon-edges": 4, "rounds": 1, "clusters": 2 }));
    home.write("1/inbox.jsonl", ask(0));
    home.veil(&command("degree-vectors", 1)).succeeds().says("a report of 1 rounds");
    let before = (home.read("1/report.json"), home.read("1/me.key"));
    // A second round was never promised, and another list is another release.
    for (epsilon, rounds, neighbours) in [(40, 2, vec![0, 2]), (4, 2, vec![0, 2]), (4, 2, vec![0])] {
        let parameters = json!({ "epsilon-edges": epsilon, "rounds": rounds, "clusters": 2 });
        let me = json!({ "me": 1, "nodes": 3, "neighbours": neighbours, "parameters": parameters });
        home.write("1/me.json", me.to_string());
        home.write("1/inbox.jsonl", ask(1));
        home.veil(&command("degree-vectors", 1))
            .fails_with(1)
            .says("with another protocol, parameter or neighbour list")
            .says("--key");
    }
    assert_eq!((home.read("1/report.json"), home.read("1/me.key")), before);
}

#[test]
fn messages_go_by_hand_until_everyone_has_reported() {
    let parameters = json!({ "epsilon-edges": 0.5, "strategy": "most-similar", "alpha": 0.5 });
    let home = row(&parameters);
    home.veil(&command("graph-privatizer", 1)).succeeds().says_all(&[
        "no report yet",
        "Only \"report\" and messages to \"server\" may be sent to the server",
        "features",
        "REFUTED",
    ]);
    let part = read(&home, "1/report.json");
    assert!(part["report"].is_null());
    assert_eq!(
        part["waiting_for"],
        json!([{ "from": 0, "message": "features" }, { "from": 2, "message": "features" }])
    );
    assert_eq!(part["messages"][0], json!({ "from": 1, "to": 0, "features": { "signs": [[1, false]] } }));
    // Features, profiles, candidates: reports in the fourth turn.
    assert_eq!([(); 4].map(|()| turn(&home, "graph-privatizer")), [false, false, false, true]);
    let reports: Vec<Value> =
        (0..3).map(|node| read(&home, &format!("{node}/report.json"))["report"].clone()).collect();
    // The ends have no other neighbour than the middle, so they cannot be exchanged.
    assert_eq!(reports[1], json!([0, 2]));
    assert!([json!([1]), json!([2])].contains(&reports[0]) && [json!([1]), json!([0])].contains(&reports[2]));
    assert!(turn(&home, "graph-privatizer"), "messages that come again change nothing");
    for (node, report) in reports.iter().enumerate() {
        assert_eq!(read(&home, &format!("{node}/report.json"))["report"], *report);
    }
}

#[test]
fn a_degree_is_reported_with_a_list() {
    let home = row(&json!({ "epsilon-edges": 200, "degree-share": 0.5 }));
    home.veil(&command("blink", 1)).succeeds().says("a report of a degree and 2 nodes").says("proven");
    let part = read(&home, "1/report.json");
    assert_eq!(part["report"], json!({ "degree": 2, "nodes": [0, 2] }));
    assert_eq!((&part["messages"], &part["waiting_for"]), (&json!([]), &json!([])));
    // A share of everything leaves nothing for the list.
    let whole = row(&json!({ "epsilon-edges": 2, "degree-share": 1 }));
    whole.veil(&command("blink", 1)).fails_with(2).says("leaves nothing for the degree or for the list");
}

#[test]
fn the_server_asks_for_counts_round_by_round() {
    let home = row(&json!({ "epsilon-edges": 2, "rounds": 2, "unit": "edge-set", "clusters": 2 }));
    let first = "{\"from\": \"server\", \"round\": 0, \"clusters\": [0, 0, 1]}\n";
    home.write("1/inbox.jsonl", first);
    home.veil(&command("degree-vectors", 1)).succeeds().says("the server").says("no report yet");
    let part = read(&home, "1/report.json");
    assert_eq!(part["waiting_for"], json!([{ "from": "server", "message": "clusters", "round": 1 }]));
    let counts = part["messages"][0]["counts"].clone();
    assert_eq!(counts.as_array().unwrap().iter().map(|count| count.as_i64().unwrap()).sum::<i64>(), 2);
    home.write("1/inbox.jsonl", format!("{first}{{\"from\": \"server\", \"round\": 1, \"clusters\": [1, 0, 1]}}\n"));
    home.veil(&command("degree-vectors", 1)).succeeds().says("a report of 2 rounds");
    let part = read(&home, "1/report.json");
    assert_eq!((&part["report"][0], part["report"][1].as_array().unwrap().len()), (&counts, 2));
}

/// The middle one is a sender; then 0, then 2. Both ends check that they were shown the same order.
#[test]
fn users_of_a_cascade_report_once_in_the_published_order() {
    let parameters = json!({ "epsilon-edges": 2, "classes": 2, "batches": 2, "steps": 8 });
    let home = row(&parameters);
    home.veil(&command("cascade", 0)).succeeds().says("no report yet").says("order");
    let order = "{\"from\": \"server\", \"order\": [1, 0, 2], \"senders\": 1}\n";
    let asked = |batch: u32, first: u32| {
        let messages = [[first, 8 - first], [8, 0], [4, 4]];
        format!("{}\n", json!({ "from": "server", "batch": batch, "messages": messages }))
    };
    (0..3).for_each(|node| home.write(&format!("{node}/inbox.jsonl"), order));
    let shown = home.veil(&format!("{} --json", command("cascade", 0))).succeeds().json();
    let digest = shown["order"].as_str().unwrap().to_owned();
    assert_eq!(shown["waiting_for"], json!([{ "from": "server", "message": "messages", "round": 0 }]));
    home.veil(&command("cascade", 1)).succeeds().says("nothing to report").says(&digest);

    let lines = [order, &asked(0, 4)].concat();
    home.write("0/inbox.jsonl", &lines);
    home.veil(&command("cascade", 0)).succeeds().says_all(&["a report", "edge-bit", "relationship", "proven"]);
    let part = read(&home, "0/report.json");
    assert_eq!(part["messages"][0]["row"], part["report"]);
    assert_eq!((part["report"].as_array().unwrap().len(), &part["order"]), (2, &json!(digest)));

    // Node 2 has read the published digest: an order in which it comes first is refused.
    let me = json!({ "me": 2, "nodes": 3, "neighbours": [1], "parameters": parameters, "order": digest });
    home.write("2/me.json", me.to_string());
    home.write("2/inbox.jsonl", "{\"from\": \"server\", \"order\": [2, 0, 1], \"senders\": 1}\n");
    home.veil(&command("cascade", 2)).fails_with(1).says(&digest).says("do not take part");
    home.write("2/inbox.jsonl", [lines.as_str(), &asked(1, 7)].concat());
    home.veil(&command("cascade", 2)).succeeds().says("a report");
    assert_eq!(read(&home, "2/report.json")["messages"][0]["batch"], json!(1));

    // Without a published digest, the first order that a key has seen is the only one.
    let before = (home.read("0/report.json"), home.read("0/me.key"));
    home.write("0/inbox.jsonl", "{\"from\": \"server\", \"order\": [1, 2, 0], \"senders\": 1}\n");
    home.veil(&command("cascade", 0)).fails_with(1).says("another order");
    assert_eq!((home.read("0/report.json"), home.read("0/me.key")), before);
}

#[test]
fn broken_files_are_named_and_nothing_is_written() {
    let home = row(&json!({ "epsilon-edges": 1 }));
    veil_graph::write::owner::write_new(&home.path("1/.me.key.lock"), b"").unwrap();
    let files = home.list("1");
    home.veil(&command("knot", 1)).fails_with(2).says("neighbour-krr");
    home.veil("device --protocol edge-flip --me 1/nowhere.json --out 1/report.json").fails_with(1).says("nowhere.json");
    home.veil("device --protocol edge-flip --me 1/me.json --out 1/me.json").fails_with(2).says("given for two files");
    home.veil("device --protocol edge-flip --me 1/me.json --out 1/me.key").fails_with(2).says("given for two files");
    home.veil(&command("degree-vectors", 1)).fails_with(2).says("clusters");
    for (line, says) in [
        ("{\"from\": 0, \"to\": 1,", "inbox.jsonl: line 2"),
        ("{\"from\": 1, \"to\": 1, \"list\": []}", "node 1 is not a neighbour of node 1"),
        ("{\"from\": 0, \"to\": 2, \"list\": []}", "the message is for node 2"),
        ("{\"from\": 0, \"to\": 1, \"rumour\": []}", "rumour"),
    ] {
        home.write("1/inbox.jsonl", format!("\n{line}\n"));
        home.veil(&command("two-hop-rr", 1)).fails_with(1).says(says);
    }
    let me = |neighbours: &[u32], name: &str| {
        json!({ "me": 1, "nodes": 3, "neighbours": neighbours, "parameters": { name: 1 } }).to_string()
    };
    for (me, says) in [
        (me(&[1], "epsilon-edges"), "its own neighbour list"),
        (me(&[3], "epsilon-edges"), "neighbour 3"),
        (me(&[], "epsilon"), "unknown parameter \"epsilon\""),
        ("{\"me\": 1".to_owned(), "1/me.json: EOF"),
    ] {
        home.write("1/me.json", me);
        home.veil(&command("edge-flip", 1)).fails_with(1).says(says);
    }
    assert_eq!(home.list("1"), files);
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = row(&json!({ "epsilon-edges": 1 }));
    home.write("1/me.key", "ab".repeat(32));
    let mode = |mode| std::fs::set_permissions(home.path("1/me.key"), std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    home.veil(&command("neighbour-krr", 1)).fails_with(1).says("mode 644").says("chmod 600");
    mode(0o600);
    home.veil(&command("neighbour-krr", 1)).succeeds();
    home.write("1/me.key", "ab");
    home.veil(&command("neighbour-krr", 1)).fails_with(1).says("64 hexadecimal digits");
}

/// Starts two devices with one key at the same time, asked for different clusters: whether each of
/// them made its report. `keys` are two paths to the key.
fn race(home: &World, keys: [&str; 2]) -> [bool; 2] {
    let mut running = [0, 1].map(|one| {
        let out = format!("report-{one}.json");
        let _ = std::fs::remove_file(home.path(&out));
        let mut command = home.command();
        command.args(["device", "--protocol", "degree-vectors", "--me", "1/me.json", "--key", keys[one]]);
        command.args(["--inbox", &format!("inbox-{one}.jsonl"), "--out", &out]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    });
    let passed = running.each_mut().map(|child| child.wait().unwrap().success());
    for (one, child) in running.into_iter().enumerate() {
        assert_eq!(passed[one], home.path(&format!("report-{one}.json")).exists());
        if !passed[one] {
            let said = child.wait_with_output().unwrap().stderr;
            let said = String::from_utf8(said).unwrap();
            assert!(said.contains("has already been used for another report"), "{said}");
        }
    }
    passed
}

/// The two requests of [`race`]: the difference of their reports is the true counts.
fn asked_twice() -> World {
    let home = row(&json!({ "epsilon-edges": 1, "clusters": 2 }));
    for (one, clusters) in [[0, 0, 1], [1, 1, 0]].into_iter().enumerate() {
        let message = json!({ "from": "server", "round": 0, "clusters": clusters });
        home.write(&format!("inbox-{one}.jsonl"), format!("{message}\n"));
    }
    home
}

const RACES: usize = 200;

#[test]
fn of_two_devices_that_race_with_one_key_one_reports() {
    let home = asked_twice();
    for attempt in 0..RACES {
        let key = format!("{attempt}.key");
        // Every second key exists before the race.
        if attempt % 2 == 0 {
            home.veil(&format!("device --protocol degree-vectors --me 1/me.json --key {key} --out first.json"))
                .succeeds()
                .says("no report yet");
        }
        assert_eq!(race(&home, [&key, &key]).into_iter().filter(|&passed| passed).count(), 1, "attempt {attempt}");
        assert_eq!(home.read(&key).split(|&byte| byte == b'\n').filter(|it| it.starts_with(b"reported 0")).count(), 1);
    }
}

#[test]
fn other_spellings_of_a_path_to_a_key_race_for_the_same_lock() {
    let home = asked_twice();
    for attempt in 0..RACES {
        let (key, other) = (format!("1/{attempt}.key"), format!("0/../1/./{attempt}.key"));
        let absolute = home.path(&key).into_os_string().into_string().unwrap();
        let keys = if attempt % 2 == 0 { [key.as_str(), other.as_str()] } else { [other.as_str(), absolute.as_str()] };
        assert_eq!(race(&home, keys).into_iter().filter(|&passed| passed).count(), 1, "attempt {attempt}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_to_a_key_race_for_the_same_lock() {
    use std::os::unix::fs::symlink;
    let home = asked_twice();
    for attempt in 0..RACES {
        let (key, link, chain) = (format!("1/{attempt}.key"), format!("2/{attempt}.key"), format!("0/{attempt}.key"));
        // The links exist before the key does.
        symlink(format!("../1/{attempt}.key"), home.path(&link)).unwrap();
        symlink(home.path(&link), home.path(&chain)).unwrap();
        let keys = if attempt % 2 == 0 { [key.as_str(), chain.as_str()] } else { [link.as_str(), chain.as_str()] };
        assert_eq!(race(&home, keys).into_iter().filter(|&passed| passed).count(), 1, "attempt {attempt}");
        // The record is in the key, and the links are links still.
        assert!(home.path(&link).is_symlink() && home.path(&chain).is_symlink());
        assert!(home.path(&key).is_file() && !home.path(&key).is_symlink());
    }
}

#[cfg(unix)]
#[test]
fn a_key_with_two_hard_links_is_refused() {
    let home = asked_twice();
    home.veil("device --protocol degree-vectors --me 1/me.json --key 1/me.key --out first.json").succeeds();
    std::fs::hard_link(home.path("1/me.key"), home.path("2/me.key")).unwrap();
    let again =
        "device --protocol degree-vectors --me 1/me.json --inbox inbox-0.jsonl --key 2/me.key --out report.json";
    home.veil(again).fails_with(1).says("2 hard links").says("symbolic links are allowed");
    assert!(!home.path("report.json").exists());
    std::fs::remove_file(home.path("1/me.key")).unwrap();
    home.veil(again).succeeds();
}

/// Not a wish but a limit, which docs/device.md states: a copy is another file.
#[test]
fn a_copied_key_does_not_know_what_the_original_has_reported() {
    let home = asked_twice();
    home.veil("device --protocol degree-vectors --me 1/me.json --key 1/me.key --out first.json").succeeds();
    std::fs::copy(home.path("1/me.key"), home.path("2/me.key")).unwrap();
    assert_eq!(race(&home, ["1/me.key", "2/me.key"]), [true, true]);
}

/// A kill between two writes leaves a draft with the key, or with true neighbours.
#[cfg(unix)]
#[test]
fn the_drafts_of_a_killed_device_are_destroyed_by_the_next_one() {
    use std::io::Read;
    let parameters = json!({ "epsilon-edges": 4, "clusters": 2, "rounds": 40, "unit": "edge-bit" });
    let home = row(&parameters);
    let ask = |round| format!("{{\"from\": \"server\", \"round\": {round}, \"clusters\": [0, 0, 1]}}\n");
    home.write("1/inbox.jsonl", (0..40).map(ask).collect::<String>());
    let words = command("degree-vectors", 1).replace("--out 1/report.json", "--out out/report.json");
    std::fs::create_dir(home.path("out")).unwrap();
    // The system kills whoever writes a file beyond this number of blocks.
    let killed = |blocks: u32| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_veil")]);
        let ended = shell.args(words.split_whitespace()).current_dir(home.path(".")).status().unwrap();
        assert_eq!(ended.code(), None, "it was not killed");
    };
    let draft_in = |folder: &str| {
        let names: Vec<String> =
            home.list(folder).into_iter().filter(|name| name.starts_with(".veil-device-")).collect();
        assert!(names.len() <= 1, "{names:?}");
        names.first().map(|name| format!("{folder}/{name}"))
    };

    killed(1);
    let draft = draft_in("1").unwrap();
    let mut seen = std::fs::File::open(home.path(&draft)).unwrap();
    assert!(home.read(&draft)[..64].iter().all(u8::is_ascii_hexdigit), "the key");
    home.veil(&words).succeeds();
    assert_eq!((draft_in("1"), draft_in("out")), (None, None));
    let mut left = String::new();
    seen.read_to_string(&mut left).unwrap();
    assert_eq!(left.trim(), "", "it was overwritten before it was removed");

    // With its key in place, the device is killed while it writes its output.
    let report = home.read("out/report.json");
    std::fs::remove_file(home.path("out/report.json")).unwrap();
    killed(1);
    assert_eq!((draft_in("1"), home.read(&draft_in("out").unwrap())[..512].to_vec()), (None, report[..512].to_vec()));
    home.veil(&words).succeeds();
    assert_eq!((draft_in("out"), home.read("out/report.json")), (None, report));
}

/// Somebody may have put a link where the lock of a key will be.
#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_or_open_to_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = row(&json!({ "epsilon-edges": 1 }));
    let lock = home.path("1/.me.key.lock");
    home.write("theirs", "mine");
    std::os::unix::fs::symlink(home.path("theirs"), &lock).unwrap();
    home.veil(&command("neighbour-krr", 1)).fails_with(1).says(".me.key.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::write(&lock, "").unwrap();
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o666)).unwrap();
    home.veil(&command("neighbour-krr", 1)).fails_with(1).says("others can open it (mode 666)");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.veil(&command("neighbour-krr", 1)).succeeds();
    assert_eq!(home.read("theirs"), b"mine");
}
