import type { PublishedDocuments } from "../../snapshots/store/read/read-documents.ts";
import { PipelineError } from "../facts/errors.ts";

/** So many DAOs are named where none fits. */
const NAMED_MAX = 6;

/** Throws `PipelineError` NOT_FOUND that says which DAOs there are, those with a like name first. */
export function refuseUnknown(spaceId: string, { version, spaceIds: ids }: PublishedDocuments): never {
  if (ids.includes(spaceId)) {
    throw new PipelineError("NOT_FOUND", `version ${version} was published without evidence of ${spaceId}`, {
      hint: "This version has no evidence. `govdata publish` makes one that has.",
    });
  }
  const asked = spaceId.toLowerCase().split(".")[0] ?? "";
  const alike = ids.filter((id) => asked.length > 1 && id.includes(asked));
  const named = (alike.length > 0 ? alike : ids).slice(0, NAMED_MAX);
  const others = alike.length > 0 || ids.length <= NAMED_MAX ? "" : `, and ${ids.length - NAMED_MAX} more`;
  throw new PipelineError("NOT_FOUND", `${spaceId} is not in version ${version}`, {
    hint: `${alike.length > 0 ? "Do you mean" : "It holds"} ${named.join(", ")}${others}${alike.length > 0 ? "?" : "."}`,
  });
}
