import type { z } from "zod";
import type { Problem } from "../request/problems.ts";

/** A query parameter as callers are told of it. Its values follow from the rule, unless `values` says them better. */
export interface ParameterAbout {
  readonly description: string;
  /** In place of the rule's own shape, where that is a text which stands for something else. */
  readonly values?: { readonly type: "integer"; readonly enum: readonly number[] };
  /** What holds where the parameter is not sent; absent where nothing does. */
  readonly default?: string | number;
  readonly isRequired?: true;
  readonly example?: string | number;
  /** A value that only a higher tier may send, where the endpoint itself is open to lower ones. */
  readonly beyondFree?: { readonly maximum: number } | "any value";
}

/** What an endpoint is, in the words of its OpenAPI operation. Where the server decides something, the plan says it and not this. */
export interface EndpointAbout<Name extends string = string> {
  readonly operationId: string;
  readonly tag: "DAOs" | "Index" | "Entities";
  readonly summary: string;
  readonly description: string;
  readonly parameters: Readonly<Record<Name, ParameterAbout>>;
  /** The body of a 200, and whether callers may keep it under its ETag; absent where there is none yet. */
  readonly answers?: { readonly shape: z.ZodType; readonly mayBeKept: boolean };
  /** What `find` and `beyondTier` may run into. What every endpoint meets, and bad parameters, follow by themselves. */
  readonly refusals: readonly Problem[];
}
