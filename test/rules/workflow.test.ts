import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PROJECT } from "./source-files.ts";

const textOf = (path: string) => readFileSync(join(PROJECT, path), "utf8");
const TEXT = textOf(".github/workflows/ci.yml");
const WORKFLOW = parse(TEXT);

it("runs .ci/run on the versions of Node that .ci/run itself tries", () => {
  const [, versions = ""] = /GOVDATA_CI_NODES-([\d. ]+)\}/.exec(textOf(".ci/run")) ?? [];
  const majors = versions.split(" ").map((version) => Number(version.split(".")[0]));
  expect(majors.length).toBeGreaterThan(1);
  const { strategy, container, steps } = WORKFLOW.jobs.run;
  expect(strategy.matrix.node).toEqual(majors);
  expect(container.image).toMatch(/^node:\$\{\{ matrix\.node \}\}-/);
  expect(steps.at(-1)).toEqual({ run: "bash .ci/run", env: { GOVDATA_CI_NODES: "" } });
});

it("may only read, and names every action by its commit", () => {
  expect(WORKFLOW.permissions).toEqual({ contents: "read" });
  const actions = [...TEXT.matchAll(/uses: (.*)/g)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
