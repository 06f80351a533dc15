import { TextDecoder } from 'node:util';

/** The largest responses are pages of a hundred records of some kilobytes each. */
const maxBytes = 16 * 1024 * 1024;

/** The response is not from the service, such as an error page of a proxy, or was truncated. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Reads the whole body, up to a maximum size. */
export async function readText(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Unreadable(`the answer has more than ${maxBytes} bytes`);
    text += decoded(decoder, chunk);
  }
  return text + decoded(decoder);
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw new Unreadable('the answer is not UTF-8');
  }
}

/** Undefined if the text is not JSON, which is acceptable only in an error response. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
