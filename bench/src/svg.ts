/** Markup of one shape. */
export type Shape = string & { readonly shape?: never };

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string;
}

export function rect({ x, y, width, height, fill }: Rect): Shape {
  const at = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
  return `<rect ${at} fill="${fill}"/>`;
}

export interface Text {
  x: number;
  y: number;
  content: string;
  anchor?: 'start' | 'end';
  bold?: boolean;
}

export function text({ x, y, content, anchor = 'start', bold = false }: Text): Shape {
  const weight = bold ? ' font-weight="600"' : '';
  const at = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`;
  return `<text ${at}${weight}>${escaped(content)}</text>`;
}

export interface Picture {
  width: number;
  height: number;
  /** Shown at the top, and read by screen readers. */
  title: string;
}

/** A complete picture, with a white background so that it is readable on a dark page too. */
export function svg({ width, height, title }: Picture, shapes: readonly Shape[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`;
  const style = 'font-family="system-ui, sans-serif" font-size="13" fill="#1d1d1f"';
  const ground = rect({ x: 0, y: 0, width, height, fill: '#fff' });
  const name = `<title>${escaped(title)}</title>`;
  const heading = text({ x: 12, y: 23, content: title, bold: true });
  return `${open} ${style}>\n${[name, ground, heading, ...shapes].join('\n')}\n</svg>\n`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
