import type { Locator } from 'playwright-core';

/** Presses a button of an incident when it is awake. */
export async function press(card: Locator, name: string): Promise<void> {
  await card.locator('.decision-buttons .button:not([aria-disabled])').first().waitFor();
  await card.locator('.decision-buttons').getByRole('button', { name, exact: true }).click();
}

/** Presses a button until the agent has recorded the decision: without a worker, it may answer too late. */
export async function decide(card: Locator, name: string): Promise<void> {
  // An answer that came too late for the page may have been recorded all the same.
  const answered = card.filter({ hasText: /recorded at|was answered/ });
  const refused = card.locator('.incident-note.refused');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await card.locator('.decision-buttons .button:not([aria-disabled])').or(answered).first().waitFor();
    if ((await answered.count()) > 0) return;
    await press(card, name);
    await answered.or(refused).first().waitFor();
  }
  if ((await answered.count()) > 0) return;
  throw new Error(`The agent did not record it: ${await refused.innerText()}`);
}
