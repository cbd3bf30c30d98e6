//! A browser, driven over its debugging pipe as people drive it: with a mouse, keys and a window.
//! It opens the page as it is, with its policy. Where there is no chromium, that is said.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(90);

pub struct Chromium {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    number: u64,
    session: Option<String>,
    /// What the page said to the console, errors and refusals of its policy included.
    pub said: Vec<String>,
    loaded: bool,
    home: tempfile::TempDir,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Chromium {
    /// A browser with an empty page; nothing, and a printed reason, where there is none.
    pub fn start() -> Option<Chromium> {
        let folders: Vec<PathBuf> =
            std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let programs = ["chromium", "chromium-browser", "google-chrome"];
        let found =
            folders.iter().flat_map(|folder| programs.map(|name| folder.join(name))).find(|program| program.is_file());
        // Past the capture of passing tests' output.
        let said = if found.is_some() { "in a browser: a report" } else { "no browser: skipped, there is no chromium" };
        let _ = writeln!(std::io::stderr(), "{said}");
        let home = tempfile::tempdir().unwrap();
        // The pipe is on file descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null"])
            .arg(found?)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { return };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    return;
                }
            }
        });
        let (number, session, said, loaded) = (0, None, Vec::new(), false);
        let mut browser = Chromium { child, input, messages, number, session, said, loaded, home };
        let folder = browser.home.path().join("saved");
        fs::create_dir(&folder).unwrap();
        browser.ask("Browser.setDownloadBehavior", json!({ "behavior": "allow", "downloadPath": folder }));
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser.window(1280, 900);
        browser.medium("screen", "light");
        Some(browser)
    }

    /// The answer of the browser.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.input, "{message}\0").unwrap();
        self.input.flush().unwrap();
        loop {
            let answer = self.hear(method);
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The next message. What the page said is kept.
    fn hear(&mut self, waiting: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {waiting}"));
        match message["method"].as_str() {
            Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded") => {
                self.said.push(message["params"].to_string());
            }
            Some("Page.loadEventFired") => self.loaded = true,
            _ => {}
        }
        message
    }

    /// Opens a page.
    pub fn open(&mut self, html: &str) {
        let path = self.home.path().join("page.html");
        fs::write(&path, html).unwrap();
        (self.loaded, self.said) = (false, Vec::new());
        self.ask("Page.navigate", json!({ "url": format!("file://{}", path.display()) }));
        while !self.loaded {
            self.hear("Page.navigate");
        }
    }

    /// Makes the window so large; its screen has no more than this width.
    pub fn window(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Light or dark, screen or paper.
    pub fn medium(&mut self, medium: &str, scheme: &str) {
        // Without motion: what is clicked must not move meanwhile.
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" }
        ]);
        self.ask("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features }));
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let wanted = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let found = self.ask("Runtime.evaluate", wanted);
        assert!(found["exceptionDetails"].is_null(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// Waits until the page has dealt with what was pressed, and is drawn.
    fn settle(&mut self) {
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
    }

    /// The middle of the first element that is found and shown, scrolled to.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.value(&format!(
            "(() => {{ const found = [...document.querySelectorAll({})].find(it => it.checkVisibility());
               if (!found) return null;
               found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
               const box = found.getBoundingClientRect();
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        let at = |place: &Value| place.as_f64().unwrap_or_else(|| panic!("{selector} is not shown"));
        (at(&place[0]), at(&place[1]))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), clicks: u32) {
        let button = if clicks > 0 { "left" } else { "none" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": clicks });
        self.ask("Input.dispatchMouseEvent", event);
    }

    /// Moves the mouse to an element.
    pub fn point_at(&mut self, selector: &str) {
        let place = self.middle(selector);
        self.settle();
        self.mouse("mouseMoved", place, 0);
        self.settle();
    }

    /// Clicks on an element.
    pub fn click(&mut self, selector: &str) {
        let place = self.middle(selector);
        self.settle();
        self.mouse("mouseMoved", place, 0);
        self.mouse("mousePressed", place, 1);
        self.mouse("mouseReleased", place, 1);
        self.settle();
    }

    /// Presses a key, as `Tab`.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.ask("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }

    /// Writes where the cursor is.
    pub fn write(&mut self, text: &str) {
        self.ask("Input.insertText", json!({ "text": text }));
        self.settle();
    }

    /// The only file that was saved since the last call, whole: its name and content.
    pub fn saved(&mut self) -> (String, Vec<u8>) {
        let folder = self.home.path().join("saved");
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < PATIENCE, "nothing was saved; the page said {:?}", self.said);
            std::thread::sleep(Duration::from_millis(20));
            let names: Vec<String> = fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| !name.starts_with('.'))
                .collect();
            // A download has another name until it is whole.
            if let [name] = names.as_slice()
                && !name.ends_with(".crdownload")
            {
                let path = folder.join(name);
                let content = fs::read(&path).unwrap();
                if !content.is_empty() {
                    fs::remove_file(path).unwrap();
                    return (name.clone(), content);
                }
            }
        }
    }

    /// A picture of the page from its top, as a PNG in base 64.
    #[allow(dead_code, reason = "for looking at a failure")]
    pub fn look(&mut self, height: u32) -> String {
        let width = self.value("innerWidth");
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        self.ask("Page.captureScreenshot", wanted)["data"].as_str().unwrap_or_default().to_owned()
    }
}
