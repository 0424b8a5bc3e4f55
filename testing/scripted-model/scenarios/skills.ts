import { type AnswerOptions, say, type ScriptedReply, useTool } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';

/** Artifact that the researcher writes. */
const discovery = 'DISCOVERY.md';
/** Text that the researcher writes while it works, which must not reach any other agent. */
export const asides = 'Between ourselves: the harbour smells of fish today.';

/** Phrase that every request to correct the format of an answer contains. */
export const repairCue = 'does not have the required form';
/** Openings of the system prompts of Baton's shipped skills. */
export const skillOpenings = { researcher: 'You are a researcher', executor: 'You are an executor' } as const;

/** Returns which of Baton's shipped skills is being called; undefined for any other agent. */
export function skillOf({ systemText }: ScriptedCall): string | undefined {
  return /^You are an? (?:[\w-]+ )?(researcher|planner|executor|verifier)\b/m.exec(systemText)?.[1];
}

/** Returns a field of a skill's input by its title. */
export function inputOf({ systemText }: ScriptedCall, title: string): string | undefined {
  const input = systemText.slice(systemText.lastIndexOf('# INPUT'));
  const line = new RegExp(`^${title}: (.*)$`, 'm').exec(input)?.[1];
  return line === undefined ? undefined : (JSON.parse(line) as string);
}

/** Dispatches a question to the skill `researcher`, and answers with its result. */
export function skilled(pace: AnswerOptions = {}): Script {
  return (call) => {
    if (skillOf(call) !== undefined) return asResearcher(call, { ...pace, sloppy: true });
    const [dispatched] = call.toolExchanges;
    if (dispatched !== undefined) return say(dispatched.result?.text ?? '', pace);
    const request = { skill: 'researcher', input: { goal: 'What is this project about?' } };
    return useTool('dispatch_skill', request, { ...pace, text: 'A question for the researcher.' });
  };
}

/**
 * Reads the readme, writes a discovery artifact, and answers. With `sloppy`, the first answer violates the output
 * format.
 */
export function asResearcher(
  { toolExchanges, lastUserText }: ScriptedCall,
  { sloppy = false, ...pace }: AnswerOptions & { sloppy?: boolean } = {},
): ScriptedReply {
  const [read, written] = toolExchanges;
  if (read === undefined) return useTool('read_file', { path: 'README.md' }, { ...pace, text: asides });
  const about = headingIn(read.result?.text ?? '');
  if (written === undefined) {
    const content = `# Discovery\n\n${about}, says README.md:1.\n`;
    return useTool('write_artifact', { name: discovery, content }, pace);
  }
  if (sloppy && !lastUserText.includes(repairCue)) {
    return say(`Here is what I found: it is about ${about}.`, pace);
  }
  const found = `<finding><statement>It is called ${about}</statement><evidence>README.md:1</evidence></finding>`;
  return say(
    `<response><discovery><answer>It is about ${about}.</answer>${found}<artifact>${discovery}</artifact></discovery></response>`,
    pace,
  );
}

function headingIn(text: string): string {
  return (/^#+\s*(.+)$/m.exec(text)?.[1] ?? 'something without a name').replace(/[<&]/g, '');
}
