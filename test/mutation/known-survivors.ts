/** Mutants that are known to survive, by room, each with the reason; the run prints them beside what it finds. */
export const KNOWN_SURVIVORS: readonly (readonly [room: string, mutant: string, why: string])[] = [
  [
    "all",
    '`{ bigint: true }` of `statSync`, `"utf8"` of a digest',
    "same result on every file system and Node we know",
  ],
  [
    "all",
    "`fsync` of a folder, closing it in `finally`",
    "only a power cut tells; `test/faults` simulates it",
  ],
  [
    "all",
    '`code !== "EEXIST"` where an empty file is made',
    "the next line opens the file and meets any other fault",
  ],
  ["all", "`?.close` of something always present", "the types require it"],
  ["optouts", "`OPT_OUTS_MAX` ± 1", "needs a list of a million"],
  [
    "optouts",
    "a reader opened as a writer",
    "it never writes; `query_only` is tested where the file is opened",
  ],
  ["optouts", '`isBusy(error)` always true, `"code" in error` of a non-error', "the same message results"],
  [
    "keys",
    "a remembered pepper that is not there; two programs taking an empty store at once",
    "asserts against our own bug, and a race of two processes",
  ],
  [
    "keys",
    "`PRAGMA synchronous` is not what was set",
    "asserts against another binding; `test/proxy/keys` asks the open store",
  ],
  ["keys", "when opened keys are forgotten", "costs memory or time; each is asked again after 250 ms"],
  ["keys", "shape of a key judged by fewer characters", "its checksum refuses it too"],
  ["keys", "the store reopened for each request", "as right, and slower"],
  [
    "quota",
    '`<=` for `<` between days, other words for "none"',
    "a day replaces itself; any word that is no number means nothing is there",
  ],
  ["quota", "`sqlite/edit-counts.ts`", "its tests start processes, too slow for mutants"],
  [
    "quota",
    "the call of `assertDurable`",
    "needs a file system without shared memory; its refusal is tested",
  ],
  ["request", "lengths of raw header lists and names", "Node gives pairs; the length only saves work"],
  ["request", "HEAD sends a body", "Node sends none"],
  [
    "request",
    "defaults for what Node always gives, separators of what is refused anyway",
    "no request can tell",
  ],
  ["request", "a word for a status that does not occur", "asserts against our own bug"],
  ["request", 'prepared headers not reused, `typeof body === "string"` always true', "same bytes"],
  [
    "request",
    "an unmatched path under `/v1` goes on to the key",
    "same answer by another way (`test/proxy/request-table`)",
  ],
  ["request", "the store's name in an error line", "the test of the log asks for the line"],
  ["request", "remaining units after a refund with a lowered limit", "one header of a failed answer"],
];
