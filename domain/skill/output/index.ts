export { checkOutput } from './check-output';
export { type JsonSchema, jsonSchemaSchema, jsonViolation } from './json-output';
export {
  type OutputFormat,
  outputFormatSchema,
  outputInstructions,
  responseElement,
  restoreStopSequence,
  stopSequences,
  type XmlField,
} from './output-format';
