import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

interface OtlpSpan {
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
}

export interface CollectedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly unknown[] | undefined>>;
}

/** Baton's own name of a span, whatever else it is called. */
export function ownName({ name, attributes }: CollectedSpan): string {
  return String(attributes['baton.span'] ?? name);
}

function valueOf(value: OtlpValue): unknown {
  return value.arrayValue === undefined ? Object.values(value)[0] : value.arrayValue.values.map(valueOf);
}

/** Receives traces as a collector would, by OTLP over HTTP, and records them. */
export class Collector {
  readonly spans: CollectedSpan[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        collector.take(JSON.parse(body) as OtlpRequest);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take({ resourceSpans }: OtlpRequest): void {
    for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))) {
      const attributes = span.attributes.map(({ key, value }) => [key, valueOf(value)] as const);
      this.spans.push({ ...span, attributes: Object.fromEntries(attributes) as CollectedSpan['attributes'] });
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
