import "./no-public-hub.ts";
import { lookup } from "node:dns";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/source-table.ts";
import { createHttpClient } from "../../pipeline/sources/http/http-client.ts";
import { readAnswers } from "../proxy/support/read-answers.ts";
import { compileCopy } from "./compiled-copy.ts";
import { LONGEST } from "./longest-first.ts";
import { runFolder, setup } from "./run-folder.ts";

describe("compiled copy", () => {
  const project = mkdtempSync(join(tmpdir(), "govdata-copy-"));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  /** Writes a source as of so many seconds after the copies of now. */
  function write(name: string, text: string, secondsLater: number): void {
    const path = join(project, name);
    writeFileSync(path, text);
    const atSeconds = Math.floor(Date.now() / 1000) + secondsLater;
    utimesSync(path, atSeconds, atSeconds);
  }

  const compiled = () => compileCopy(join(project, "entry.ts"), project, join(project, "copies"));
  const copyOf = (name: string) => join(project, "copies", name);

  it("compiles what was changed since, what it imports now, and nothing else again", () => {
    write("entry.ts", 'import { one } from "./one.ts";\nexport const all: number = one;\n', -60);
    write("one.ts", "export const one: number = 1;\n", -60);
    expect(compiled()).toBe(copyOf("entry.js"));
    expect(readFileSync(copyOf("entry.js"), "utf8")).toContain('from "./one.js"');
    expect(readFileSync(copyOf("one.js"), "utf8")).toContain("one = 1;");

    writeFileSync(copyOf("entry.js"), "kept");
    write("one.ts", 'export { two as one } from "./two.ts";\n', 60);
    write("two.ts", "export const two: number = 2;\n", -60);
    compiled();
    expect(readFileSync(copyOf("one.js"), "utf8")).toContain('from "./two.js"');
    expect(readFileSync(copyOf("two.js"), "utf8")).toContain("two = 2;");
    expect(readFileSync(copyOf("entry.js"), "utf8")).toBe("kept");

    rmSync(copyOf("two.js"));
    compiled();
    expect(readFileSync(copyOf("two.js"), "utf8")).toContain("two = 2;");
  });
});

it("what comes first is there", () => {
  expect(LONGEST.filter((path) => !existsSync(path))).toEqual([]);
});

it("no test reaches the public hub by the way that sources take", async () => {
  const http = createHttpClient({ nowMs: () => 0, version: "1.0.0" });
  await expect(http.postJson({ url: PUBLIC_HUB_URL, body: {} })).rejects.toThrow("start a server for it");
  await http.close();
});

it("a name of this machine is looked up as ever", async () => {
  const answer = await new Promise((resolve) =>
    lookup("localhost", (error, address) => resolve(error ?? address)),
  );
  expect(["127.0.0.1", "::1"]).toContain(answer);
});

const read = (text: string, methods?: readonly string[]) => {
  const { answers, fault } = readAnswers(Buffer.from(text, "latin1"), methods);
  return [...answers.map(({ status, bytes }) => `${status} ${bytes.toString()}`), fault].filter(Boolean);
};

describe("readAnswers (the tests' own reader)", () => {
  it.each([
    { why: "nothing", text: "", want: [] },
    { why: "one", text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", want: ["200 hi"] },
    {
      why: "two",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n",
      want: ["200 hi", "404 "],
    },
    { why: "204 has no body", text: "HTTP/1.1 204 No Content\r\n\r\n", want: ["204 "] },
    {
      why: "HEAD has none either",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
      methods: ["HEAD"],
      want: ["200 "],
    },
    {
      why: "cut off in the body",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
      want: ["a body shorter than its length"],
    },
    { why: "cut off in the head", text: "HTTP/1.1 200 OK\r\nA: b", want: ["a head without an end"] },
    {
      why: "more than the body",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi\r\n\r\n",
      want: ["200 h", "no status line"],
    },
    { why: "no length", text: "HTTP/1.1 200 OK\r\n\r\n", want: ["a body without a length"] },
    {
      why: "a length that is none",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nh",
      want: ["a body without a length"],
    },
    {
      why: "chunks",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nh",
      want: ["a body without a length"],
    },
    { why: "another version", text: "HTTP/2.0 200 OK\r\n\r\n", want: ["no status line"] },
    {
      why: "a folded line",
      text: "HTTP/1.1 204 No\r\nA: b\r\n c\r\n\r\n",
      want: ["a line that is no header"],
    },
  ])("$why", ({ text, methods, want }) => {
    expect(read(text, methods)).toEqual(want);
  });

  it("tells of names that came twice", () => {
    const { answers } = readAnswers(Buffer.from("HTTP/1.1 204 No\r\nA: b\r\na: c\r\n\r\n"));
    expect(answers[0]?.duplicates).toEqual(["a"]);
  });
});

it("is that of the run, and a new run makes its own whatever its shell says", () => {
  const given = runFolder();
  const { TMPDIR } = process.env;
  expect(runFolder()).toBe(given);
  try {
    setup();
    const folder = runFolder();
    expect(folder).not.toBe(given);
    expect(tmpdir(), "what tests leave behind goes with it").toBe(folder);
    rmSync(folder, { recursive: true });
  } finally {
    Object.assign(process.env, { GOVDATA_TEST_FOLDER: given, TMPDIR });
  }
});

const TESTS = join(import.meta.dirname, "..");

/** Whether a text can run the program, whose default is the public hub, or knows that hub by itself. */
const mayReach = (text: string): boolean => /from ".*\/cli\/program\.ts"|\bPUBLIC_HUB_URL\b/.test(text);
const isGuarded = (text: string): boolean => /^import ".*\/no-public-hub\.ts";$/m.test(text);

it("what may reach it imports the guard, however Vitest is started", () => {
  const reaching = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && path !== join("support", "no-public-hub.ts"))
    .map((path) => ({ path, text: readFileSync(join(TESTS, path), "utf8") }))
    .filter(({ text }) => mayReach(text));
  expect(reaching.length).toBeGreaterThan(4);
  expect(reaching.filter(({ text }) => !isGuarded(text)).map(({ path }) => path)).toEqual([]);
  expect(mayReach('import { runProgram } from "../../pipeline/cli/program.ts";')).toBe(true);
  expect(isGuarded('import { hub } from "./no-public-hub.ts";')).toBe(false);
});
