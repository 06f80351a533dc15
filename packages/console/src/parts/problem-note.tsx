import { mayPass, type Problem } from '../api/problem.js';

/** What helps in the console, where the API can only say what is wrong. */
const hints: Record<string, string> = {
  TENANT_MISMATCH:
    'To see it, sign out and sign in for its Principal. The operator of the service can find the ' +
    'Principal of an authorization by its id.',
};

interface ProblemNoteProps {
  problem: Problem;
  /** Repeats what failed; offered only where that may help. */
  onAgain?: (() => void) | undefined;
}

/** The message of the API, and the request id for searching its logs. */
export function ProblemNote({ problem, onAgain }: ProblemNoteProps) {
  const { message, code, status, requestId, fields } = problem;
  const facts = [status === null ? '' : String(status), code].filter(Boolean).join(' ');
  return (
    <div class="note bad" role="alert">
      <p>{message}</p>
      {hints[code] && <p>{hints[code]}</p>}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, message: what }) => (
            <li key={field}>
              {field !== '' && <code>{field}</code>} {what}
            </li>
          ))}
        </ul>
      )}
      {(facts || requestId) && (
        <p class="quiet">
          {facts}{' '}
          {requestId && (
            <>
              request <code>{requestId}</code>
            </>
          )}
        </p>
      )}
      {onAgain && mayPass(problem) && (
        <button type="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}
