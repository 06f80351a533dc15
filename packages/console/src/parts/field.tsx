interface FieldProps {
  id: string;
  label: string;
  hint?: string;
  value: string;
  onInput: (value: string) => void;
  kind?: 'line' | 'secret' | 'text' | 'day';
  placeholder?: string;
  required?: boolean;
  maxLength?: number;
}

/** A labelled input. The browser neither completes nor stores what is typed. */
export function Field({ id, label, hint, onInput, kind = 'line', ...given }: FieldProps) {
  const shared = {
    ...given,
    id,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === 'line' && <input {...shared} spellcheck={false} />}
      {kind === 'secret' && <input {...shared} type="password" />}
      {kind === 'day' && <input {...shared} type="date" />}
      {kind === 'text' && <textarea {...shared} rows={3} />}
      {hint && (
        <span id={`${id}-hint`} class="quiet">
          {hint}
        </span>
      )}
    </div>
  );
}
