import { z } from "zod";

/** A number of JSON, Infinity included (`1e309`), so that it is refused as impossible and not as a wrong type. */
export const AnyNumber = z.custom<number>((value) => typeof value === "number");
