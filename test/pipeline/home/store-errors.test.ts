import { expect, test } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import { withStore } from "../../../pipeline/home/store-errors.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { SNAPSHOT_ERROR_CODES, snapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";

const caught = (action: () => unknown) => withStore(action).catch((error: unknown) => error);

test.each(SNAPSHOT_ERROR_CODES)(
  "%s of the store is an error of the pipeline, with what to do",
  async (code) => {
    const refusal = snapshotFailure(code, "daos.json: is missing");
    const error = await caught(() => {
      throw refusal;
    });
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({
      message: "daos.json: is missing",
      hint: expect.stringMatching(/\S/),
      cause: refusal,
    });
  },
);

test.each([new Error("a fault"), pipelineFailure("NOT_FOUND", "no")])(
  "anything else passes: %s",
  async (fault) => {
    expect(await caught(() => Promise.reject(fault))).toBe(fault);
  },
);

test("what goes well is handed on", async () => {
  expect(await withStore(() => 7)).toBe(7);
});
