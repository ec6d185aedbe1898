import { z } from "zod";
import * as envelope from "../../snapshots/format/envelope.ts";
import * as ids from "../../snapshots/format/ids.ts";
import { ReasonCode, Timestamp, VersionName } from "../../snapshots/format/ids.ts";
import type { Readiness as ReadinessAnswer } from "../snapshot/readiness.ts";

/** A value as it stands in JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object as it stands in JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** A shape as a schema: a reference where it has an id. It describes what callers send, before it is transformed. */
export function schemaOf(shape: z.ZodType): JsonObject {
  const id = shape.meta()?.id;
  return id === undefined ? plain(z.toJSONSchema(shape, { io: "input" })) : { $ref: uri(id) };
}

/**
 * `components.schemas`: every published shape with an id, as zod itself writes it, with the words of its `meta`. Not all
 * that zod has heard of in this process: a second copy of the shapes would make two of each id.
 */
export function schemaComponents(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const register = (shape: z.core.$ZodType) => {
    const id = z.globalRegistry.get(shape)?.id;
    if (id !== undefined && !registry.has(shape)) registry.add(shape, { id });
  };
  for (const each of Object.values({
    ...envelope,
    ...envelope.ENVELOPES,
    ...ids,
    Liveness,
    Ready,
    Unready,
  })) {
    if (each instanceof z.ZodType) z.toJSONSchema(each, { override: ({ zodSchema }) => register(zodSchema) });
  }
  const { schemas } = z.toJSONSchema(registry, { io: "output", uri });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** Without the marks of a document of its own: these are parts of ours. */
function plain(schema: unknown): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return rest;
}

/** The body of `/healthz`. */
export const Liveness = z
  .strictObject({ status: z.literal("alive").describe("Always `alive`.") })
  .meta({ id: "Liveness", description: "The process is alive." });

const Readiness = z.strictObject({
  status: z
    .enum(["ready", "degraded", "unavailable"])
    .describe("`degraded`: the last good version is served, and something is wrong with what came after it."),
  reason: ReasonCode.exactOptional().describe("A stable code for what is wrong."),
  refused_version: VersionName.exactOptional().describe(
    "The version that the reason is about, where that is not the one served.",
  ),
  version: VersionName.exactOptional().describe("The version being served."),
  sequence: z.int().min(1).exactOptional().describe("Its number; every published version has a higher one."),
  as_of: Timestamp.exactOptional().describe("The moment its data stands for."),
  published_at: Timestamp.exactOptional().describe("When it was published."),
  entities: z
    .literal("withheld")
    .exactOptional()
    .describe("Present while nobody knows who opted out: no entity is served meanwhile."),
  signatures: z
    .literal("unchecked")
    .exactOptional()
    .describe("Present while versions of another machine are served without asking who signed them."),
}) satisfies z.ZodType<ReadinessAnswer["body"]>;

const withStatus = <Status extends z.ZodType>(status: Status) =>
  Readiness.extend({ status: status.describe(Readiness.shape.status.description ?? "") });

/** The body of a 200 of `/readyz`. */
export const Ready = withStatus(z.enum(["ready", "degraded"])).meta({
  id: "Ready",
  description: "Data is served.",
});

/** The body of a 503 of `/readyz`. */
export const Unready = withStatus(z.literal("unavailable")).meta({
  id: "Unready",
  description: "No data is served, data that is too old, or nobody can be let in.",
});
