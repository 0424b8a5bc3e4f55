import type { Page } from 'playwright-core';

/**
 * Collects what goes wrong in a page: errors of its script, and errors in the console. The browser reports every request
 * there that was refused or not answered, as `Failed to load resource: … (path)`. Tests name those that they cause.
 */
export function collectProblems(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const path = url.startsWith('http') ? new URL(url).pathname : url;
    problems.push(
      message.text().startsWith('Failed to load resource') ? `${message.text()} (${path})` : message.text(),
    );
  });
}

/** Takes the expected ones out of a list of problems. */
export function forget(problems: string[], expected: RegExp): void {
  problems.splice(0, problems.length, ...problems.filter((problem) => !expected.test(problem)));
}

/** A request that nobody answered, because the test stopped the server. */
export const lostConnection = /^Failed to load resource: net::ERR_/;
