import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import { DOCUMENTS } from "../../../snapshots/format/documents.ts";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";

/** The keys below a JSON schema, each with its path and whether it must be there. */
function keysBelow(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each) => keysBelow(each, path));
  const { properties = {}, required = [], ...rest } = schema as Record<string, unknown>;
  const must = new Set(required as readonly string[]);
  return [
    ...Object.entries(properties as object).flatMap(([key, value]) => [
      `${path}.${key}${must.has(key) ? "" : "?"}`,
      ...keysBelow(value, `${path}.${key}`),
    ]),
    ...Object.values(rest).flatMap((each) => keysBelow(each, path)),
  ];
}

it("no key of a published file changes within a format", () => {
  const keys = Object.entries(DOCUMENTS).flatMap(([kind, { shape }]) =>
    keysBelow(z.toJSONSchema(shape, { unrepresentable: "any" }), kind),
  );
  expect(keys.length).toBeGreaterThan(300);
  const digest = createHash("sha256")
    .update([...new Set(keys)].sort().join("\n"))
    .digest("hex")
    .slice(0, 16);
  expect(
    { format: FORMAT_VERSION, keys: digest },
    "Raise FORMAT_VERSION with a changed key, then write the new digest here: otherwise intact versions that are already published are called damaged.",
  ).toEqual({ format: 3, keys: "9ed20cf34cb20105" });
});
