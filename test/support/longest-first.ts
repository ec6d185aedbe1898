import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The slowest test files, slowest first, each more than a sixtieth of its suite. A clean checkout has no times of an
 * earlier run, so vitest sorts by file size: one of these would be last, and the other cores would be idle.
 */
export const LONGEST = [
  // Slow tests.
  "test/real/attacks.figures.test.ts",
  "test/real/whole-way.test.ts",
  "test/package/image.test.ts",
  "test/journey/interrupted-fetch.test.ts",
  "test/snapshots/store/write/publish-snapshot.faults.test.ts",
  "test/browser/docs.test.ts",
  "test/proxy/fleet/follow/follow-remote.processes.test.ts",
  "test/browser/report.test.ts",
  "test/pipeline/sources/hub/hub-source.faults.test.ts",
  "test/proxy/fleet/follow/follow-remote.test.ts",
  // The others.
  "test/rules/boundaries.test.ts",
  "test/pipeline/warehouse/warehouse.test.ts",
  "test/pipeline/cli/commands/versions.test.ts",
  "test/pipeline/score/measure-dao.test.ts",
  "test/pipeline/stages/run.test.ts",
];

/** The order in which workers take test files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    const first = LONGEST.flatMap((path) => others.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)));
    return [...new Set([...first, ...others])];
  }
}
