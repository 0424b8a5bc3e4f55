import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { UiServer } from '../../../cli/ui/http/ui-server';
import { browserPatienceMs, launchBrowser } from '../../support/browser';
import type { GeneratedOptions } from '../../support/ui/generated-run';
import type { GeneratedSource } from '../../support/ui/generated-source';
import { collectProblems } from '../../support/ui/page-problems';
import { generatedSource, startUiOn } from '../../support/ui/start-ui';

interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly hasTouch?: boolean;
}

/** A browser, and the page's server with generated runs. */
export class PageTester {
  /** What pages complained about. */
  readonly trouble: string[] = [];
  private readonly contexts: BrowserContext[] = [];

  private constructor(
    readonly browser: Browser,
    readonly source: GeneratedSource,
    public server: UiServer,
  ) {}

  static async start(...runs: readonly GeneratedOptions[]): Promise<PageTester> {
    const source = generatedSource(...runs);
    const [browser, server] = await Promise.all([launchBrowser(), startUiOn(source)]);
    return new PageTester(browser, source, server);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }

  /** Closes all pages that were opened. */
  async closePages(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }

  /** The address of a place, with the key. */
  address(hash = '#/'): string {
    return `${this.server.origin}/${hash}${hash.includes('?') ? '&' : '?'}k=${this.server.key}`;
  }

  /** Opens a place in a new window. */
  async open(hash?: string, options: OpenOptions = {}): Promise<Page> {
    const { width = 1440, height = 860, colorScheme = 'light', hasTouch = false } = options;
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme, hasTouch });
    context.setDefaultTimeout(browserPatienceMs);
    this.contexts.push(context);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = this.watch(await context.newPage());
    await page.goto(this.address(hash));
    return page;
  }

  /** Collects what goes wrong in a page. */
  watch(page: Page): Page {
    collectProblems(page, this.trouble);
    return page;
  }
}

/**
 * Waits until an expression is true in the page. It is a string, because the types of a browser are not known here, and it
 * is evaluated from outside, because the page's policy forbids evaluating texts.
 */
export async function waitFor(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await page.evaluate<boolean>(expression))) {
    if (Date.now() > deadline) throw new Error(`Not true within 20 s: ${expression}`);
    await delay(20);
  }
}

/** Goes to a place in the same window, as a link does. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Selector of the row of an agent. */
export function rowOf(path: string): string {
  return `[role=treeitem][data-key=${JSON.stringify(`agent:${path}`)}]`;
}
