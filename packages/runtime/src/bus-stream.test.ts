import { type JetStreamManager, NatsError } from 'nats';
import { test } from 'tap';
import { busNames, StreamKeeper } from './bus-stream.js';

const names = busNames('countersign', 'live');

function refusal(code: number, description: string): NatsError {
  const error = new NatsError(description, String(code));
  error.api_error = { code, err_code: 0, description };
  return error;
}

/** A server that refuses to create a stream; `appears` where another has created it meanwhile. */
function refusing({ appears }: { appears: boolean }): JetStreamManager {
  let added = false;
  const streams = {
    info: async () => {
      if (!(added && appears)) throw refusal(404, 'stream not found');
    },
    add: async () => {
      added = true;
      throw refusal(400, 'subjects overlap with an existing stream');
    },
  };
  return { streams } as unknown as JetStreamManager;
}

test('a stream that another creates at the same moment is there', async (t) => {
  await t.resolves(new StreamKeeper().ensure(refusing({ appears: true }), names));
  const missing = new StreamKeeper().ensure(refusing({ appears: false }), names);
  await t.rejects(missing, /subjects overlap/);
});
