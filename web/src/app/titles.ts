// What stands above a picture: the title, or the labels of runs side by side, and what must not be overlooked about them.
export interface Titled { saved: { label: string; outcome: string }; description: { title: string } }

const warnings: Record<string, string> = { diverged: "diverged", not_converged: "did not converge", suspect: "suspect" };

export function titlesOf(runs: Titled[], panes: number): string[] {
  const marked = (title: string, of: Titled[]): string => {
    const said = [...new Set(of.map((run) => warnings[run.saved.outcome]).filter((word) => word !== undefined))];
    return said.length > 0 ? `${title} (${said.join(", ")})` : title;
  };
  return panes > 1 ? runs.map((run) => marked(run.saved.label, [run])) : [marked(runs[0]!.description.title, runs)];
}
