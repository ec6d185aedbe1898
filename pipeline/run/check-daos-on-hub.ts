import { PipelineError } from "../base/pipeline-error.ts";
import { checkDaos, type DaoCheck } from "./check-daos.ts";
import type { RunEffects } from "./effects.ts";
import { createHubSpaceChecker } from "./hub-space-checker.ts";
import { openHttp } from "./open-http.ts";
import type { Settings } from "./settings.ts";

/** Compares every DAO of the registry with the hub at `url`. Throws `PipelineError` BAD_OPTION where that is no URL. */
export async function checkDaosOnHub(
  settings: Settings,
  { url, hubKey }: { readonly url: string; readonly hubKey: string | undefined },
  effects: RunEffects,
): Promise<readonly DaoCheck[]> {
  if (!URL.canParse(url)) {
    throw new PipelineError("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const http = openHttp(settings, effects, {});
  try {
    const checker = createHubSpaceChecker({ http, url, apiKey: hubKey });
    return await checkDaos(settings, { checker, progress: effects.progress });
  } finally {
    await http.close();
  }
}
