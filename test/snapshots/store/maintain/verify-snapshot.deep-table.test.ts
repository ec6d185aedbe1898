import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { type VerifyOptions, verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { EVERY_KIND_AS_OF_MS } from "../../../faults/every-kind-set.ts";
import { publishOn } from "../../../faults/staged-root.ts";
import {
  copyOf,
  currentDirectory,
  forgeText,
  makePipe,
  replaceFile,
  sealAgain,
  sharedRoot,
} from "../temporary-root.ts";

let pristine: string;

/** Two versions, so that there is something older to put back and another one to mix with. */
beforeAll(async () => {
  const { root, remove } = sharedRoot();
  pristine = root;
  for (const day of [1, 2]) await publishOn(createSnapshotDisk(root), EVERY_KIND_AS_OF_MS + day * DAY_MS);
  return remove;
});

interface Damage {
  readonly why: string;
  readonly damage: (directory: string, root: string) => void;
  /** Every problem, word for word, in order: path, code and message, in which … stands for the path. */
  readonly want: readonly string[];
  readonly options?: VerifyOptions;
}

const RISK = "risk/varied.eth.json";
const EVIDENCE = "evidence/varied.eth.json";
const PROPOSALS = "proposals/varied.eth.ndjson";
const older = (root: string, current: string) =>
  join(
    root,
    (JSON.parse(readFileSync(join(current, "manifest.json"), "utf8")) as { previous: { version: string } })
      .previous.version,
  );

const forge =
  (path: string, from: string | RegExp, to: string): Damage["damage"] =>
  (_, root) =>
    forgeText(root, path, from, to);

const unsealed: readonly Damage[] = [
  {
    why: "the pointer is gone",
    damage: (_, root) => rmSync(join(root, "current.json")),
    want: ["current.json SNAPSHOT_MISSING … is missing"],
  },
  {
    why: "the pointer is a folder",
    damage: (_, root) => {
      rmSync(join(root, "current.json"));
      mkdirSync(join(root, "current.json"));
    },
    want: ["current.json SNAPSHOT_INVALID … is not a regular file"],
  },
  {
    why: "the pointer is a pipe that nobody writes to",
    damage: (_, root) => {
      rmSync(join(root, "current.json"));
      makePipe(join(root, "current.json"));
    },
    want: ["current.json SNAPSHOT_INVALID … is not a regular file"],
  },
  {
    why: "the pointer has no end",
    damage: (_, root) => truncateSync(join(root, "current.json"), 2 ** 40),
    want: ["current.json SNAPSHOT_INVALID … has 1099511627776 bytes, more than the 4096 allowed"],
  },
  {
    why: "the pointer is of another format",
    damage: (_, root) =>
      replaceFile(
        join(root, "current.json"),
        readFileSync(join(root, "current.json"), "utf8").replace('"format":3', '"format":1'),
      ),
    want: [
      "current.json SNAPSHOT_FORMAT_UNKNOWN … is of format 1; this program reads format 3, govdata 0.6.0 reads it",
    ],
  },
  {
    why: "the version is a link to somewhere else",
    damage: (directory, root) => {
      renameSync(directory, join(root, "..", "elsewhere"));
      symlinkSync(join(root, "..", "elsewhere"), directory);
    },
    want: ["manifest.json SNAPSHOT_MISSING there is no such version under the snapshot root"],
  },
  {
    why: "the version is a link that leads to itself",
    damage: (directory) => {
      rmSync(directory, { recursive: true });
      symlinkSync(directory, directory);
    },
    want: ["manifest.json SNAPSHOT_MISSING there is no such version under the snapshot root"],
  },
  {
    why: "the manifest has no end",
    damage: (directory) => {
      replaceFile(join(directory, "manifest.json"), "{");
      truncateSync(join(directory, "manifest.json"), 2 ** 40);
    },
    want: ["manifest.json SNAPSHOT_INVALID … has 1099511627776 bytes, more than the 33554432 allowed"],
  },
  {
    why: "the manifest is that of the version before",
    damage: (directory, root) =>
      replaceFile(
        join(directory, "manifest.json"),
        readFileSync(join(older(root, directory), "manifest.json")),
      ),
    want: ["manifest.json SNAPSHOT_INVALID … does not have the hash its version is named after"],
  },
  {
    why: "a file is that of the version before",
    damage: (directory, root) =>
      replaceFile(join(directory, "run.json"), readFileSync(join(older(root, directory), "run.json"))),
    want: ["run.json FILE_WRONG_HASH … does not have the SHA-256 expected"],
  },
  {
    why: "the pointer names a sequence that was passed before",
    damage: () => {},
    options: { sequenceMin: 3 },
    want: ["manifest.json SNAPSHOT_ROLLED_BACK the pointer's sequence 2 is below 3, which was seen before"],
  },
  {
    why: "a file is a link to its own bytes",
    damage: (directory) => {
      renameSync(join(directory, RISK), join(directory, "..", "risk.json"));
      symlinkSync(join(directory, "..", "risk.json"), join(directory, RISK));
    },
    want: [`${RISK} FILE_UNREADABLE … is a link, not a file`],
  },
  {
    why: "a folder is a link to its own files",
    damage: (directory) => {
      renameSync(join(directory, "risk"), join(directory, "..", "risk-elsewhere"));
      symlinkSync(join(directory, "..", "risk-elsewhere"), join(directory, "risk"));
    },
    want: ["risk FILE_NOT_LISTED … is not in the manifest"],
  },
  {
    why: "a file stands where a folder was",
    damage: (directory) => {
      rmSync(join(directory, dirname(RISK)), { recursive: true });
      writeFileSync(join(directory, "risk"), "");
    },
    want: [`${RISK} FILE_MISSING … is missing`, "risk FILE_NOT_LISTED … is not in the manifest"],
  },
  {
    why: "three files are damaged in three ways",
    damage: (directory) => {
      rmSync(join(directory, "dgi.json"));
      replaceFile(join(directory, "daos.json"), "[]\n");
      truncateSync(join(directory, RISK), 0);
    },
    want: [
      "daos.json FILE_WRONG_SIZE … has 3 bytes, not the ",
      "dgi.json FILE_MISSING … is missing",
      `${RISK} FILE_WRONG_SIZE … has 0 bytes, not the `,
    ],
  },
];

const sealed: readonly Damage[] = [
  {
    why: "evidence is not JSON",
    damage: forge(EVIDENCE, /^\{/, "("),
    want: [`${EVIDENCE} SNAPSHOT_INVALID … is not JSON in UTF-8`],
  },
  {
    why: "a line of the proposals is not JSON",
    damage: forge(PROPOSALS, /^\{/, "("),
    want: [`${PROPOSALS} SNAPSHOT_INVALID … is not JSON in UTF-8`],
  },
  {
    why: "a line of the proposals has a field more, whose content is not repeated",
    damage: forge(PROPOSALS, "{", '{"author":"\\u001b[2Jsecret",'),
    want: [`${PROPOSALS} SNAPSHOT_INVALID … the whole document: Unrecognized key: "author"`],
  },
  {
    why: "a line of the proposals has a field less",
    damage: forge(PROPOSALS, /"unit":\d+,/, ""),
    want: [`${PROPOSALS} SNAPSHOT_INVALID … unit: Invalid input: expected number, received undefined`],
  },
  {
    why: "a line of the proposals has its fields in another order",
    damage: forge(
      "proposals/varied.eth.ndjson",
      /"is_flagged":(\w+),"is_deleted":(\w+)/,
      '"is_deleted":$2,"is_flagged":$1',
    ),
    want: [`${PROPOSALS} DOCUMENT_NOT_CANONICAL … is not canonical`],
  },
  {
    why: "the proposals end without their newline",
    damage: forge(PROPOSALS, /\n$/, ""),
    want: [`${PROPOSALS} DOCUMENT_NOT_CANONICAL … is not canonical`],
  },
  {
    why: "the proposals are not UTF-8",
    damage: (directory, root) => {
      const path = join(directory, PROPOSALS);
      replaceFile(path, Buffer.concat([readFileSync(path), Buffer.from([0xff, 0x0a])]));
      sealAgain(root, PROPOSALS);
    },
    want: [`${PROPOSALS} SNAPSHOT_INVALID … is not JSON in UTF-8`],
  },
  {
    why: "a number of the proposals differs by its last digit",
    damage: forge(PROPOSALS, /"gini":0\.(\d+)\d,/, '"gini":0.$1,'),
    want: [`${PROPOSALS} DOCUMENTS_DISAGREE … is not the file that the evidence was made from`],
  },
  {
    why: "there is no proposal",
    damage: forge(PROPOSALS, /[\s\S]+/, ""),
    want: [`${PROPOSALS} DOCUMENTS_DISAGREE … does not contain as many records as the manifest says`],
  },
  {
    why: "a line of the proposals is empty",
    damage: forge(PROPOSALS, /^/, "\n"),
    want: [`${PROPOSALS} SNAPSHOT_INVALID … is not JSON in UTF-8`],
  },
  {
    why: "the whole ranking has another heading",
    damage: forge("delegates/varied.eth/all.csv", "rank", "place"),
    want: ["delegates/varied.eth/all.csv DOCUMENT_NOT_CANONICAL … is not canonical"],
  },
  {
    why: "a risk score is another",
    damage: forge(RISK, /"risk_score":[0-9.]+/, '"risk_score":99.9'),
    want: [
      `${RISK} DOCUMENTS_DISAGREE … risk_level is not that of risk_score`,
      `${EVIDENCE} DOCUMENTS_DISAGREE … risk is not that of the risk document`,
      "index.sqlite INDEX_DIFFERS … risk varied.eth is not the envelope of risk/varied.eth.json",
    ],
  },
];

const linesOf = async (root: string, options: VerifyOptions) =>
  (await verifySnapshot(root, { deep: true, ...options })).problems.map(
    ({ path, code, message }) => `${path} ${code} ${message.replace(`${path}:`, "…")}`,
  );

describe("verify --deep says what is wrong, and where", () => {
  it.each(unsealed)("when $why", async ({ damage, want, options = {} }) => {
    const root = copyOf(pristine);
    damage(currentDirectory(root), root);
    const lines = await linesOf(root, options);
    // What else cannot be told because of it may follow, about other files; what is wrong itself comes first.
    expect(lines.slice(0, want.length).map((line, index) => line.slice(0, want[index]?.length))).toEqual(
      want,
    );
    expect(lines.join("\n")).not.toContain(root);
  });

  it.each(sealed)("when every hash agrees but $why", async ({ damage, want, options = {} }) => {
    const root = copyOf(pristine);
    damage(currentDirectory(root), root);
    const lines = await linesOf(root, options);
    expect(lines).toEqual(expect.arrayContaining([...want]));
    const paths = new Set(want.map((line) => line.split(" ")[0]));
    expect(lines.filter((line) => !paths.has(line.split(" ")[0]))).toEqual([]);
  });
});
