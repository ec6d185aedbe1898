import { z } from "zod";
import * as envelope from "../../snapshots/format/envelope.ts";
import * as ids from "../../snapshots/format/ids.ts";
import * as readiness from "../snapshot/readiness.ts";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** A shape as a schema, or a reference if it has an ID. It describes what callers send, before transforms. */
export function schemaOf(shape: z.ZodType): JsonObject {
  const id = shape.meta()?.id;
  return id === undefined ? plain(z.toJSONSchema(shape, { io: "input" })) : { $ref: uri(id) };
}

/**
 * `components.schemas`: every published shape with an ID, as zod converts it, with the descriptions from `meta`. Uses
 * its own registry, because the global one would have each ID twice if the shapes were loaded twice.
 */
export function schemaComponents(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const register = (shape: z.core.$ZodType) => {
    const id = z.globalRegistry.get(shape)?.id;
    if (id !== undefined && !registry.has(shape)) registry.add(shape, { id });
  };
  for (const schema of Object.values({ ...envelope, ...envelope.ENVELOPES, ...ids, ...readiness })) {
    if (schema instanceof z.ZodType)
      z.toJSONSchema(schema, { override: ({ zodSchema }) => register(zodSchema) });
  }
  const { schemas } = z.toJSONSchema(registry, { io: "output", uri });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

/** Removes the keys of a standalone schema, because these are parts of our document. */
function plain(schema: unknown): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return rest;
}
