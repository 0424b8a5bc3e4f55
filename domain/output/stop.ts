import { responseElement, type OutputFormat } from '../skill/output-format';

const end = `</${responseElement}>`;

/** Where the provider cuts the model off, so that nothing follows the answer. */
export function stopSequences({ xml }: OutputFormat): readonly string[] {
  return xml === undefined ? [] : [end];
}

/** The provider drops the sequence at which it stopped; the answer is whole only with it. */
export function restoreStop(format: OutputFormat, text: string, stopReason: string): string {
  const [dropped = ''] = stopSequences(format);
  return stopReason === 'stop_sequence' ? `${text}${dropped}` : text;
}
