import { responseElement, type OutputFormat } from './output-format';

const end = `</${responseElement}>`;

/** Returns the stop sequences for the model call. With them, no text can follow the final message. */
export function stopSequences({ xml }: OutputFormat): readonly string[] {
  return xml === undefined ? [] : [end];
}

/** Appends the stop sequence that the provider removed from the end of the reply. */
export function restoreStopSequence(format: OutputFormat, text: string, stopReason: string): string {
  const [dropped = ''] = stopSequences(format);
  return stopReason === 'stop_sequence' ? `${text}${dropped}` : text;
}
