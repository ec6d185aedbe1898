import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import {
  type Fault,
  type FaultCode,
  OPERATION_KINDS,
  type OperationKind,
  REPORTED_KINDS,
  strikeDisk,
} from "./faulty-disk.ts";
import { changedSet, LATE_MS, publishOn, wrongAfterNextRun, wrongIn } from "./staged-root.ts";

const CHANGED = changedSet();

/** The outcome of publishing itself: refused in plain words, or published with a warning or with a copy for a link. */
function wrongOutcome(outcome: unknown, { kind, code, isDone }: Fault): readonly string[] {
  if (isSnapshotFailure(outcome)) {
    // A copy cannot take the place of a link that was made after all.
    const says = isDone && kind === "link" ? "EEXIST" : code;
    const isPlain = outcome.message.includes(says) && !/somewhere|govdata-/.test(outcome.message);
    const isExpected = outcome.code === "PUBLISH_FAILED";
    return isPlain && isExpected ? [] : [`it says ${outcome.code}: ${outcome.message}`];
  }
  if (outcome instanceof Error) return [`it throws ${String(outcome)}`];
  const { warnings } = outcome as { warnings: readonly string[] };
  return kind === "link" || warnings.length > 0 ? [] : ["the fault was swallowed"];
}

async function surviveOne(base: string | undefined, fault: Fault) {
  const home = mkdtempSync(join(HOME, "govdata-fault-"));
  const root = join(home, "published");
  try {
    if (base !== undefined) cpSync(base, root, { recursive: true });
    const before = base === undefined ? undefined : readPointer(root).sequence;
    const { disk, isStruck, isPointerMoved } = strikeDisk(root, fault);
    const outcome = await publishOn(disk, LATE_MS, CHANGED).catch((error: unknown) => error);
    if (!isStruck()) return undefined;
    const expected = isPointerMoved() ? (before ?? 0) + 1 : before;
    const sequence = existsSync(join(root, "current.json")) ? readPointer(root).sequence : undefined;
    const wrong = [
      ...wrongOutcome(outcome, fault),
      ...(sequence === expected ? [] : [`the pointer is at ${sequence}, not at ${expected}`]),
      ...(sequence === undefined ? [] : await wrongIn(root)),
      ...(await wrongAfterNextRun(root)),
    ];
    const name = `${fault.kind} ${fault.nth} ${fault.code}${fault.isDone ? ", done" : ""}`;
    return { isRefused: outcome instanceof Error, wrong: wrong.map((line) => `${name}: ${line}`) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Fails the n-th operation of each kind, for every n until a run passes untouched, with each code that `codesOf` names. */
export async function runFaultCampaign(
  base: string | undefined,
  codesOf: (kind: OperationKind, nth: number) => readonly FaultCode[],
) {
  const byKind = new Map<OperationKind, number>();
  const broken: string[] = [];
  let [faults, refused] = [0, 0];
  for (const kind of OPERATION_KINDS) {
    for (let nth = 1, isReached = true; isReached; nth += 1) {
      const ways = codesOf(kind, nth).flatMap((code) =>
        (REPORTED_KINDS.includes(kind) ? [false, true] : [false]).map((isDone) => ({ code, isDone })),
      );
      for (const way of ways) {
        const outcome = await surviveOne(base, { kind, nth, ...way });
        isReached = outcome !== undefined;
        if (outcome === undefined) break;
        faults += 1;
        if (outcome.isRefused) refused += 1;
        broken.push(...outcome.wrong);
        byKind.set(kind, nth);
      }
    }
  }
  return { faults, refused, byKind, broken };
}
