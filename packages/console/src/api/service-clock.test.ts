import { test } from 'tap';
import { ServiceClock } from './service-clock.js';

const at = Date.parse('2026-01-23T13:03:07.500Z');
const hourMs = 3_600_000;

test('the time is that of the service, whatever the clock of the reader says', (t) => {
  for (const ownAt of [at + hourMs, at - hourMs]) {
    let own = ownAt;
    const clock = new ServiceClock(() => own);
    t.equal(clock.now(), ownAt, 'nothing else is known yet');
    clock.hear(new Headers({ Date: 'Fri, 23 Jan 2026 13:03:07 GMT' }));
    t.equal(clock.now(), at, 'in the middle of the second that was named');
    own += 90_000;
    t.equal(clock.now(), at + 90_000);
    clock.hear(new Headers());
    clock.hear(new Headers({ Date: 'soon' }));
    t.equal(clock.now(), at + 90_000, 'an answer that tells none takes nothing away');
    own = ownAt;
    clock.hear(new Headers({ Date: 'Fri, 23 Jan 2026 13:03:09 GMT' }));
    t.equal(clock.now(), at + 2_000, 'and one that was set meanwhile is corrected');
  }
  t.end();
});
