/** Plain JSON, and the JSON Schema objects that travel on the wire. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON Schema (2020-12 unless it says otherwise) as it goes over the wire. */
export type JsonSchema = JsonObject;
