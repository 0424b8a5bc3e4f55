// Takes docs/images/ui-approval.png, the page with a run at work: `npm run page-image`. All of it is real but the model.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { launchChromium } from '../bench/support/browser';
import { LibrarySource } from '../cli/ui/source/library-source';
import { serveUi } from '../cli/ui/serve';
import { type ScriptedCall, type ScriptedReply, startHarness } from '../testing';
import { delegationDepth, refuse, say, useTool, useTools } from '../testing/scripted-model';

const root = resolve(__dirname, '..');
const image = join(root, 'docs', 'images', 'ui-approval.png');
const size = { width: 1440, height: 940 };
const runId = 'release-2-4';

/** What each reviewer looks at, and how many files it reads. */
const parts = [
  { part: 'the gauge', files: ['src/gauge.js', 'test/gauge.test.js'] },
  { part: 'the forecast', files: ['src/forecast.js', 'src/gauge.js', 'README.md'] },
  { part: 'the manual', files: ['docs/operations.md'] },
  { part: 'the tests', files: ['test/gauge.test.js', 'package.json'] },
  { part: 'the licence', files: [] },
] as const;

const lead = 'The release notes are written from what the reviewers find.';
const notes = `# Tidewatch 2.4

- A gauge that is silent for ten minutes is reported.
- Set \`TIDEWATCH_HARBOUR\` on every machine.
`;

function play(call: ScriptedCall): ScriptedReply {
  return delegationDepth(call) === 0 ? playLead(call) : playReviewer(call);
}

function playLead({ turn }: ScriptedCall): ScriptedReply {
  const pace = { chunkDelayMs: 25 };
  if (turn === 0)
    return useTool('list_files', { path: '.' }, { ...pace, text: 'I look at what there is before I divide the work.' });
  const delegations = [...parts.map(({ part }) => `Review ${part}`), 'Write the release notes'].map((reason) => ({
    reason,
    expected_result: 'What has changed, in a few lines.',
    may_delegate_further: 'no',
    recap_lines: [`${reason} of Tidewatch for the release.`],
  }));
  return turn === 1
    ? useTool(
        'dispatch_subagents',
        { delegations },
        { ...pace, text: 'Five parts are reviewed at once. '.concat(lead) },
      )
    : say('Tidewatch 2.4 is ready.', pace);
}

function playReviewer({ systemText, turn }: ScriptedCall): ScriptedReply {
  const pace = { delayMs: 300, chunkDelayMs: 40 };
  const reason = /\*\*Reason\*\* – (.*)/.exec(systemText)?.[1] ?? '';
  if (reason === 'Write the release notes') return playWriter(turn);
  const { part, files } = parts.find((each) => reason.endsWith(each.part)) ?? parts[0];
  if (files.length === 0) return refuse();
  const path = files[turn];
  if (path !== undefined) return useTool('read_file', { path }, { ...pace, text: `Next is \`${path}\`.` });
  return say(`Nothing in ${part} stands against the release. Two sentences of the manual are out of date.`, pace);
}

function playWriter(turn: number): ScriptedReply {
  const pace = { delayMs: 200, chunkDelayMs: 30 };
  const read = ['README.md', 'docs/operations.md'].map((path) => ({ name: 'read_file', input: { path } }));
  if (turn === 0)
    return useTools(read, { ...pace, text: 'I read what users see first, and what the staff on duty reads.' });
  if (turn === 1)
    return useTool(
      'write_artifact',
      { name: 'RELEASE.md', content: notes },
      {
        ...pace,
        text: 'Two things matter to those who update:\n\n1. gauges that are silent are **reported** now,\n2. `TIDEWATCH_HARBOUR` has no default any more.\n\nThe notes say both.',
      },
    );
  return say('The notes are in RELEASE.md.', pace);
}

async function main(): Promise<void> {
  const harness = await startHarness({ script: play });
  try {
    const run = await harness.baton.startRun({
      runId,
      goal: 'Prepare release 2.4 of Tidewatch: review every part, then write the notes',
      workspace: { root: join(root, 'examples', 'sample-project') },
      approve: [{ tool: 'write_artifact', reason: 'Release notes are read by customers.' }],
      onFailure: 'report',
      budget: { microUsd: 2_000_000 },
    });
    const about = { address: harness.address, namespace: 'default', user: 'ada', webUi: null };
    const source = new LibrarySource({ client: harness.client, store: harness.store, about });
    const server = await serveUi(source, { port: 0, mayMove: true, isReadOnly: false });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: size });
      await page.goto(server.address(run.runId));
      await page.getByRole('treeitem', { name: /Write the release notes, needs you/ }).click();
      await page.getByRole('treeitem', { name: /Review the forecast, completed/ }).waitFor();
      await page.locator('.decision-buttons .button:not([aria-disabled])').first().waitFor();
      // The figures of the last turns follow within seconds.
      await page.waitForTimeout(4_000);
      // In the order of the call, not in that of their starts.
      await page.keyboard.press('.');
      await writeFile(image, await page.screenshot());
      process.stdout.write(`${image}\n`);
    } finally {
      await browser.close();
      await server.close();
      await run.cancel();
    }
  } finally {
    await harness.close();
  }
}

void main();
