/** A value as it stands in JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object as it stands in JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}
