import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../package';

/** The built page: one HTML file with its script and its style inside. */
export interface PageFile {
  readonly html: string;
  /** Content security policy that allows this script and this style, and no other. */
  readonly policy: string;
}

/** Where the build writes the page. */
export const pagePath = join(packageFolder, 'dist', 'page', 'page.html');

/** Reads the page; undefined if it has not been built. */
export function readPageFile(path = pagePath): PageFile | undefined {
  try {
    return pageFile(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Computes the policy of a page from its inline elements. */
export function pageFile(html: string): PageFile {
  return { html, policy: `${contentPolicy(html, "'self'")}; frame-ancestors 'none'` };
}

/** Policy of a page with these inline elements. `connect` says what it may send requests to. */
export function contentPolicy(html: string, connect: "'self'" | "'none'"): string {
  return [
    "default-src 'none'",
    `script-src ${hashes(html, 'script')}`,
    `style-src ${hashes(html, 'style')}`,
    `connect-src ${connect}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Hashes of the inline elements that are code. A script of another type is data and needs none. */
function hashes(html: string, element: 'script' | 'style'): string {
  const found = [...html.matchAll(new RegExp(`<${element}([^>]*)>([\\s\\S]*?)</${element}>`, 'g'))];
  const code = found.filter(([, attributes = '']) => !/type="application\/json"/.test(attributes));
  const values = code.map(([, , text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return values.join(' ') || "'none'";
}
