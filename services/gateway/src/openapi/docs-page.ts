import { createHash } from 'node:crypto';
import type { oas31 } from 'zod-openapi';
import type { ErrorTable } from '../errors/error-catalog.js';
import type { OpenApiDocument } from './compose.js';
import { html, join, type Markup, markdown } from './markup.js';
import { type DocumentedOperation, operationsOf } from './operations-of.js';
import { type Components, resolved } from './references.js';
import { fieldRows } from './schema-fields.js';
import { style } from './style.js';

type Described = { description?: string } | undefined;

/** A request body or a response. */
interface Bodied {
  content?: oas31.ContentObject;
}

interface Page {
  html: string;
  /** Allows the page's own style and nothing else: no script, no request. */
  contentSecurityPolicy: string;
}

/** The document as one page that needs neither script nor another request. */
export function docsPage(document: OpenApiDocument, errors: readonly ErrorTable[]): Page {
  const operations = operationsOf({ ...document.paths, ...document.webhooks });
  const chapters = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const hash = createHash('sha256').update(style).digest('base64');
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${document.info.title} API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${html.raw(style)}</style></head><body>
<nav aria-label="Contents"><a class="title" href="#top">${document.info.title}</a>
${join(chapters.map((chapter) => navigation(chapter)))}
<a class="chapter" href="#errors">Errors</a></nav>
<main id="top"><h1>${document.info.title} API <small>${document.info.version}</small></h1>
${markdown(document.info.description ?? '')}
<p>Base address: <code>${document.servers?.[0]?.url ?? ''}</code> ·
<a href="openapi.json">OpenAPI document</a></p>
${join(chapters.map((chapter) => chapterSection(chapter, document)))}
${errorsSection(errors)}</main></body></html>`;
  return {
    html: body.text,
    contentSecurityPolicy: [
      `default-src 'none'; style-src 'sha256-${hash}'`,
      `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ].join('; '),
  };
}

interface Chapter {
  name: string;
  description: string;
  operations: DocumentedOperation[];
}

function navigation({ name, operations }: Chapter): Markup {
  return html`<a class="chapter" href="#${anchor(name)}">${name}</a>
${join(
  operations.map(
    ({ operation }) =>
      html`<a href="#${operation.operationId ?? ''}">${operation.summary ?? ''}</a>\n`,
  ),
)}`;
}

function chapterSection(chapter: Chapter, document: OpenApiDocument): Markup {
  return html`<section><h2 id="${anchor(chapter.name)}">${chapter.name}</h2>
<p>${markdown(chapter.description)}</p>
${join(chapter.operations.map((operation) => operationSection(operation, document)))}</section>`;
}

function operationSection(
  { method, path, operation }: DocumentedOperation,
  document: OpenApiDocument,
): Markup {
  const shared: Components<oas31.ResponseObject> = document.components?.responses ?? {};
  return html`<article id="${operation.operationId ?? ''}"><h3>${operation.summary ?? ''}</h3>
<p class="path"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></p>
${markdown(operation.description ?? '')}
${parameterTable(operation)}
${bodySection('Request body', operation.requestBody as Bodied | undefined, document)}
${join(
  Object.entries(operation.responses ?? {}).map(([status, response]) =>
    responseSection(status, resolved(response, shared), document),
  ),
)}</article>`;
}

function parameterTable(operation: oas31.OperationObject): Markup {
  const parameters = (operation.parameters ?? []) as oas31.ParameterObject[];
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) => html`<tr><td><code>${name}</code></td>
<td>${place}${required ? ', required' : ''}</td>
<td>${markdown(description ?? (schema as Described)?.description ?? '')}</td></tr>`,
  );
  return html`<h4>Parameters</h4><table><tbody>${join(rows)}</tbody></table>`;
}

/** Successes are shown whole; the errors of an operation only say which they are. */
function responseSection(
  status: string,
  response: oas31.ResponseObject,
  document: OpenApiDocument,
) {
  if (status.startsWith('2'))
    return bodySection(`${status} ${response.description}`, response, document);
  const meaning = markdown(response.description);
  return html`<p class="error"><a href="#errors">${status}</a> ${meaning}</p>`;
}

function bodySection(title: string, holder: Bodied | undefined, document: OpenApiDocument): Markup {
  if (!holder) return html``;
  const [entry] = Object.entries(holder.content ?? {});
  if (!entry) return html`<h4>${title}</h4>`;
  const [type, { schema, example }] = entry;
  if (type === 'text/html') return html`<h4>${title}</h4>`;
  const fields = fieldRows(schema ?? {}, document.components?.schemas ?? {});
  const rows = fields.map(
    (field) => html`<tr><td><code>${field.name}</code></td>
<td>${field.type}${field.required ? ', required' : ''}</td>
<td>${markdown(field.description)}</td></tr>`,
  );
  const table = rows.length > 0 ? html`<table><tbody>${join(rows)}</tbody></table>` : html``;
  return html`<h4>${title}</h4><details><summary>Fields</summary>${table}</details>
<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}

function errorsSection(tables: readonly ErrorTable[]): Markup {
  return html`<section><h2 id="errors">Errors</h2>
${join(tables.map(errorTable))}</section>`;
}

function errorTable({ title, envelope, codes }: ErrorTable): Markup {
  const rows = codes.map(
    ({ code, status, meaning }) => html`<tr id="errors-${code}"><td><code>${code}</code></td>
<td>${status}</td><td>${markdown(meaning)}</td></tr>\n`,
  );
  return html`<h3>${title}</h3><p><code>${envelope}</code></p>
<table><tbody>${join(rows)}</tbody></table>`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
