/** Where each document lies inside a version. */
export const PATHS = {
  manifest: "manifest.json",
  /** Where the version is signed: 64 bytes, of the manifest's very bytes. The manifest does not name it. */
  signature: "manifest.sig",
  index: "index.sqlite",
  daos: "daos.json",
  dao: (spaceId: string) => `daos/${spaceId}.json`,
  risk: (spaceId: string) => `risk/${spaceId}.json`,
  latestListing: (spaceId: string) => `delegates/${spaceId}/latest.json`,
  datedListing: (spaceId: string, date: string) => `delegates/${spaceId}/${date}.json`,
  delegateDays: (spaceId: string) => `delegates/${spaceId}/days.csv`,
  wholeListing: (spaceId: string) => `delegates/${spaceId}/all.csv`,
  graph: (spaceId: string) => `graph/${spaceId}.json`,
  dgi: "dgi.json",
  dgiHistory: "dgi-history.json",
  entity: (entityId: string) => `entities/${entityId}.json`,
  history: (spaceId: string) => `history/${spaceId}.json`,
  evidence: (spaceId: string) => `evidence/${spaceId}.json`,
  proposals: (spaceId: string) => `proposals/${spaceId}.ndjson`,
  unscored: "unscored.json",
  run: "run.json",
  dataPackage: "datapackage.json",
} as const;
