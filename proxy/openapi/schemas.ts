import { z } from "zod";
import * as envelope from "../../snapshots/format/envelope.ts";
import * as ids from "../../snapshots/format/ids.ts";
import * as readiness from "../snapshot/readiness.ts";

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
 * that zod knows in this process: a second copy of the shapes would make two of each id.
 */
export function schemaComponents(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const register = (shape: z.core.$ZodType) => {
    const id = z.globalRegistry.get(shape)?.id;
    if (id !== undefined && !registry.has(shape)) registry.add(shape, { id });
  };
  for (const each of Object.values({ ...envelope, ...envelope.ENVELOPES, ...ids, ...readiness })) {
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
