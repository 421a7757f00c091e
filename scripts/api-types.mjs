/**
 * Makes the console's types from the gateway's own OpenAPI document, in the shape that openapi-fetch reads.
 * `node scripts/api-types.mjs` starts the built server on an empty home, asks it, and writes `console/src/api/schema.ts`.
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..");
export const schemaPath = join(root, "console/src/api/schema.ts");
const methods = ["get", "post", "patch", "put", "delete"];

/** The whole file for a document. */
export function typesOf(document) {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => `    ${key(name)}: ${typeOf(schema, 2)};`);
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = methods.filter((method) => item[method]).map((method) => `    ${method}: ${operationOf(item[method])};`);
    return `  ${JSON.stringify(path)}: {\n${operations.join("\n")}\n  };`;
  });
  return [
    "/** Made by scripts/api-types.mjs from the gateway's OpenAPI document. Changes are made there. */",
    "",
    "export interface components {",
    "  schemas: {",
    ...schemas,
    "  };",
    "}",
    "",
    "export interface paths {",
    ...paths,
    "}",
    "",
  ].join("\n");
}

function operationOf({ parameters = [], requestBody, responses }) {
  const of = (place) => parameters.filter((one) => one.in === place);
  const group = (place) => {
    const found = of(place);
    if (found.length === 0) return `${place}?: never`;
    const fields = found.map(({ name, required, schema }) => `${key(name)}${required ? "" : "?"}: ${typeOf(schema, 5)}`);
    return `${place}${found.some(({ required }) => required) ? "" : "?"}: { ${fields.join("; ")} }`;
  };
  const body =
    requestBody === undefined ? "requestBody?: never" : `requestBody${requestBody.required ? "" : "?"}: ${contentOf(requestBody.content)}`;
  const answers = Object.entries(responses).map(([status, { content }]) => {
    return `        ${status}: { headers: Record<string, string>; ${content === undefined ? "content?: never" : `content: ${bareContent(content)}`} };`;
  });
  return `{
      parameters: { ${["query", "header", "path", "cookie"].map(group).join("; ")} };
      ${body};
      responses: {
${answers.join("\n")}
      };
    }`;
}

const bareContent = (content) =>
  `{ ${Object.entries(content)
    .map(([type, { schema }]) => `${JSON.stringify(type)}: ${typeOf(schema, 5)}`)
    .join("; ")} }`;
const contentOf = (content) => `{ content: ${bareContent(content)} }`;

/** A JSON Schema as a type. */
function typeOf(schema, depth) {
  if (schema === undefined || schema === true || Object.keys(schema).length === 0) return "unknown";
  if (schema.$ref !== undefined) return `components["schemas"][${JSON.stringify(schema.$ref.split("/").at(-1))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map((one) => wrapped(typeOf(one, depth))).join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map((one) => wrapped(typeOf(one, depth))).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => wrapped(typeOf({ ...schema, type }, depth))).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `${wrapped(typeOf(schema.items, depth))}[]`;
    case "object":
      return objectOf(schema, depth);
    default:
      return "unknown";
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }, depth) {
  const pad = "  ".repeat(depth + 1);
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${pad}${key(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};`,
  );
  const open = additionalProperties !== undefined && additionalProperties !== false;
  if (fields.length === 0) {
    if (!open) return "Record<string, never>";
    return `Record<string, ${additionalProperties === true ? "unknown" : typeOf(additionalProperties, depth)}>`;
  }
  const rest = open ? [`${pad}[name: string]: unknown;`] : [];
  return `{\n${[...fields, ...rest].join("\n")}\n${"  ".repeat(depth)}}`;
}

const wrapped = (type) => (/[|&]/.test(type) && !type.startsWith("{") ? `(${type})` : type);
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

async function documentOfBuiltServer() {
  const place = await mkdtemp(join(tmpdir(), "karyi-api-"));
  const args = [join(root, "bin/karyi.js"), "serve", "--json", "--port", "0", "--home", join(place, "home"), "--workspace", place];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    let text = "";
    for await (const chunk of server.stdout) {
      text += chunk;
      if (text.trimEnd().endsWith("}")) break;
    }
    const { address, token } = JSON.parse(text);
    const answer = await fetch(`${address}/api/v1/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    return await answer.json();
  } finally {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill();
    await ended;
    await rm(place, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await mkdir(dirname(schemaPath), { recursive: true });
  await writeFile(schemaPath, typesOf(await documentOfBuiltServer()));
  console.log(schemaPath);
}
