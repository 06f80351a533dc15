/** HTML that is safe to put into a page as it is. */
export interface Markup {
  readonly text: string;
}

type Part = string | number | Markup;

/** Template tag: every value is escaped unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Markup {
  const text = strings.reduce(
    (sum, piece, index) => sum + piece + (index < values.length ? render(values[index]) : ''),
    '',
  );
  return { text };
}

/** Markup of our own making that is no template. */
html.raw = (text: string): Markup => ({ text });

export function join(parts: readonly Markup[]): Markup {
  return { text: parts.map(({ text }) => text).join('') };
}

/** The little of Markdown that descriptions use: paragraphs, `code`, **strong**. */
export function markdown(text: string): Markup {
  const paragraphs = text
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) =>
      escaped(paragraph)
        .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
        .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
    );
  const tagged = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return { text: paragraphs.length === 1 ? (paragraphs[0] ?? '') : tagged };
}

function render(value: Part | undefined): string {
  if (typeof value === 'object') return value.text;
  return escaped(String(value ?? ''));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
