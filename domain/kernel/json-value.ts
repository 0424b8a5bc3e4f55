/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>;
