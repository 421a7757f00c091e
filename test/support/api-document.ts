/** Holds answers against the server's own OpenAPI document: every status and body must be in it. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { TestGateway } from "./gateway.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}

interface ApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

export interface ApiChecker {
  readonly document: ApiDocument;
  /** Problems of one answer; empty if it is as the document says. */
  problems(method: string, path: string, status: number, body: unknown): readonly string[];
  operationOf(method: string, path: string): Operation | undefined;
}

export async function apiChecker(gateway: TestGateway): Promise<ApiChecker> {
  const { body } = await gateway.api("GET", "/openapi.json");
  const document = body as ApiDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "karyi", ...(document as object) });
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
  }));
  const operationOf = (method: string, path: string): Operation | undefined => {
    const plain = path.replace(/\?.*$/, "");
    const exact = document.paths[plain] ?? document.paths[patterns.find(({ pattern }) => pattern.test(plain))?.path ?? ""];
    return exact?.[method.toLowerCase()];
  };
  return {
    document,
    operationOf,
    problems(method, path, status, answer) {
      const operation = operationOf(method, path);
      if (operation === undefined) return [`${method} ${path} is not in the document`];
      const response = operation.responses[String(status)];
      if (response === undefined) return [`${operation.operationId}: status ${status} is not in the document`];
      const schema = response.content?.["application/json"]?.schema;
      if (schema === undefined) return [];
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"karyi#/components/');
      const validate = ajv.compile(JSON.parse(text));
      if (validate(answer)) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${operation.operationId} ${status} ${instancePath}: ${message}`);
    },
  };
}
