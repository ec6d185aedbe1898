import { z } from "zod";
import { DaoDetail, DaoList, Dgi, DgiHistory, RiskAssessment } from "./dao.ts";
import { DelegateListing } from "./delegates.ts";
import { Entity } from "./entity.ts";
import { Count, MethodologyVersion, ReasonCode, Timestamp } from "./ids.ts";

/** `meta` of every 200: which method, and as of when (of a dated listing, the end of its day). */
export const Meta = z.strictObject({ methodology_version: MethodologyVersion, as_of: Timestamp });
export type Meta = z.infer<typeof Meta>;

/** `meta` of the list of DAOs: `total` counts the items in `data`, after the filter. */
export const ListMeta = z.strictObject({ ...Meta.shape, total: Count, updated_at: Timestamp });
export type ListMeta = z.infer<typeof ListMeta>;

/** The error envelope, on every answer that is not a 200. */
export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({ code: ReasonCode, message: z.string().min(1) }),
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** What the index keeps ready to send, and the whole envelope of each kind. */
export const ENVELOPES = {
  daos: z.strictObject({ data: DaoList, meta: ListMeta }),
  dao: z.strictObject({ data: DaoDetail, meta: Meta }),
  risk: z.strictObject({ data: RiskAssessment, meta: Meta }),
  dgi: z.strictObject({ data: Dgi, meta: Meta }),
  "dgi-history": z.strictObject({ data: DgiHistory, meta: Meta }),
  entity: z.strictObject({ data: Entity, meta: Meta }),
} as const;

/** `daos` is found by category (`all` without one), `dgi-history` by period, `dgi` by `current`, the rest by their id. */
export type DocumentKind = keyof typeof ENVELOPES;

/** The envelope of a delegate answer, which is cut from a listing on demand. */
export const DelegateEnvelope = z.strictObject({ data: DelegateListing, meta: Meta });
