import { z } from "zod";
import { ANSWER_SHAPES, type ShapeName } from "./answer-shapes.ts";
import { SCHEMA_WORDS } from "./schema-words.ts";

const uri = (name: string) => `#/components/schemas/${name}`;
const NAME_OF_SHAPE = new Map<unknown, string>(
  Object.entries(ANSWER_SHAPES).map(([name, shape]) => [shape, name]),
);

/** A reference to a named schema. */
export function schemaReference(name: ShapeName): JsonObject {
  return { $ref: uri(name) };
}

/** A shape as a schema: by its name where it has one. `input` is what callers send, before it is transformed. */
export function schemaOf(shape: z.ZodType): JsonObject {
  const name = NAME_OF_SHAPE.get(shape);
  if (name !== undefined) return { $ref: uri(name) };
  return plain(z.toJSONSchema(shape, { io: "input" }));
}

/** `components.schemas`: every named shape as zod itself writes it, with words. */
export function schemaComponents(): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(ANSWER_SHAPES)) registry.add(shape, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "output", uri });
  return Object.fromEntries(
    Object.keys(ANSWER_SHAPES).map((name) => [name, withWords(name as ShapeName, plain(schemas[name]))]),
  );
}

/** Without the marks of a document of its own: these are parts of ours. */
function plain(schema: unknown): JsonObject {
  const { $schema: _schema, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return rest;
}

function withWords(name: ShapeName, schema: JsonObject): JsonObject {
  const { description, example, properties: words = {} } = SCHEMA_WORDS[name];
  const { properties, ...rest } = schema;
  return {
    description,
    ...rest,
    ...(properties === undefined ? {} : { properties: describeEach(properties as JsonObject, words) }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function describeEach(properties: JsonObject, words: Readonly<Record<string, string>>): JsonObject {
  const described = Object.entries(properties).map(([name, schema]): [string, Json] => {
    const description = words[name];
    return [name, description === undefined ? schema : { description, ...(schema as JsonObject) }];
  });
  return Object.fromEntries(described);
}

/** A value as it stands in JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object as it stands in JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}
