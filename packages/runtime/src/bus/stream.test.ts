import { type JetStreamManager, NatsError } from 'nats';
import { test } from 'tap';
import { busNames, StreamKeeper } from './stream.js';

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
      return { created: '2026-01-01T00:00:01Z' };
    },
    add: async () => {
      added = true;
      throw refusal(400, 'subjects overlap with an existing stream');
    },
  };
  return { streams } as unknown as JetStreamManager;
}

test('a stream that another creates at the same moment is there', async (t) => {
  const created = await new StreamKeeper().ensure(refusing({ appears: true }), names);
  t.equal(created, Date.parse('2026-01-01T00:00:01Z'));
  const missing = new StreamKeeper().ensure(refusing({ appears: false }), names);
  await t.rejects(missing, /subjects overlap/);
});

test('a stream that is deleted once it was found is asked for once', async (t) => {
  let asked = 0;
  const info = async (): Promise<{ created: string }> => {
    asked += 1;
    if (asked > 1) throw refusal(404, 'stream not found');
    return { created: '2026-01-01T00:00:02Z' };
  };
  const manager = { streams: { info } } as unknown as JetStreamManager;
  const created = await new StreamKeeper().ensure(manager, names);
  t.equal(created, Date.parse('2026-01-01T00:00:02Z'));
});
