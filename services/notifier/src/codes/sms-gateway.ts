import { Agent, buildConnector, request } from 'undici';
import { connectShare, type Relay, type RelayOptions } from './relay.js';
import { NotReached, StatusRefused } from './relay-failure.js';

export function smsGateway(options: RelayOptions): Relay | null {
  const { smsGatewayUrl, smsGatewayToken, timeoutMs } = options;
  if (!smsGatewayUrl) return null;
  const dispatcher = new Agent({ connect: connector(timeoutMs * connectShare) });
  const send: Relay['send'] = async (to, body) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body: answer } = await request(smsGatewayUrl, {
      method: 'POST',
      dispatcher,
      headers: {
        'content-type': 'application/json',
        ...(smsGatewayToken && { authorization: `Bearer ${smsGatewayToken}` }),
      },
      body: JSON.stringify({ to, text: body }),
      signal,
    });
    // Only the status matters, even if its body never ends: sent again would be another code.
    void answer.dump({ limit: 16 * 1024, signal }).catch(() => null);
    if (statusCode >= 200 && statusCode <= 299) return;
    // A gateway that fails, or that has no answer from what is behind it, may have sent it.
    throw statusCode < 500 ? new StatusRefused(statusCode) : new Error(`status ${statusCode}`);
  };
  return { send, close: () => void dispatcher.destroy() };
}

/** Whatever keeps a connection from being made, TLS included, says that nothing was sent on it. */
function connector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout });
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (error) callback(new NotReached(error), null);
      else callback(null, socket);
    });
  };
}
