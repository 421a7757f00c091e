/** The types of `api-types.mjs`. */
export const schemaPath: string;
export function typesOf(document: object): string;
