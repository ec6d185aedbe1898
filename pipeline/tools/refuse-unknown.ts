import type { PublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../facts/errors.ts";

/** DAOs listed if none has a similar name. */
const LISTED_MAX = 6;

/** Throws `NOT_FOUND` with DAOs of the version, those with a similar name first. */
export function refuseUnknown(spaceId: string, { version, spaceIds: ids }: PublishedDocuments): never {
  if (ids.includes(spaceId)) {
    throw pipelineFailure("NOT_FOUND", `version ${version} was published without evidence of ${spaceId}`, {
      hint: "`govdata publish` makes a version with evidence.",
    });
  }
  const asked = spaceId.toLowerCase().split(".")[0] ?? "";
  const alike = ids.filter((id) => asked.length > 1 && id.includes(asked));
  const named = (alike.length > 0 ? alike : ids).slice(0, LISTED_MAX);
  const others = alike.length > 0 || ids.length <= LISTED_MAX ? "" : `, and ${ids.length - LISTED_MAX} more`;
  throw pipelineFailure("NOT_FOUND", `${spaceId} is not in version ${version}`, {
    hint: `${alike.length > 0 ? "Did you mean" : "It has"} ${named.join(", ")}${others}${alike.length > 0 ? "?" : "."}`,
  });
}
