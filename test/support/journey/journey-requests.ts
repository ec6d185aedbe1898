import { contractRows } from "../contract-table.ts";
import { daoRequests } from "./dao-requests.ts";
import { delegateRequests } from "./delegate-requests.ts";
import { entityRequests } from "./entity-requests.ts";
import { indexRequests } from "./index-requests.ts";
import { listRequests } from "./list-requests.ts";
import type { JourneyRequest, JourneySubjects, Promised } from "./promised.ts";

/** The refused requests of the contract table; its successful ones are checked to the byte elsewhere. */
function refusals({ published, entities }: JourneySubjects): JourneyRequest[] {
  const [days = ""] = published.paths.filter((path) => path.endsWith("/days.csv"));
  const [, dao = ""] = days.split("/");
  const [day = ""] = published.dated(dao).keys();
  const entity = entities.find(({ isOptedOut, wallets }) => !isOptedOut && wallets.length > 0);
  const rows = contractRows({
    dao,
    day,
    // DAOs that lack data are found in the published files.
    withoutDelegates: undefined,
    withoutRisk: undefined,
    unscored: undefined,
    entityId: entity?.entityId ?? "",
    wallet: entity?.wallets[0] ?? "",
  });
  return rows
    .filter(({ pro }) => pro !== "200")
    .map(({ why, url, method, free, pro }) => ({
      why,
      path: url,
      ...(method === undefined ? {} : { method }),
      free: refusal(free),
      pro: refusal(pro),
    }));
}

function refusal(want: string): Promised {
  const [status, code = ""] = want.split(" ");
  return { status: Number(status) as 400 | 403 | 404 | 405, code };
}

/** Every endpoint with every parameter and the expected response for each tier. */
export function journeyRequests(subjects: JourneySubjects): readonly JourneyRequest[] {
  return [
    ...listRequests(subjects),
    ...daoRequests(subjects),
    ...delegateRequests(subjects),
    ...indexRequests(subjects),
    ...entityRequests(subjects),
    ...refusals(subjects),
  ];
}
