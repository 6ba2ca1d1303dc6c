# For Homebrew. UNTESTED: written from its formula cookbook, and never run.
#
# It builds the checkout named by HOMEBREW_HISTOSCOPE_SOURCE, from your own tap:
#
#     brew tap-new local/histoscope
#     cp assets/packages/histoscope.rb "$(brew --repository local/histoscope)/Formula/"
#     HOMEBREW_HISTOSCOPE_SOURCE=$PWD brew install --HEAD local/histoscope/histoscope
class Histoscope < Formula
  desc "Exact histograms of every frame of a video, while it plays"
  license any_of: ["MIT", "Apache-2.0"]
  head "file://#{ENV.fetch("HOMEBREW_HISTOSCOPE_SOURCE", "/nonexistent")}", using: :git

  depends_on "librsvg" => :build
  depends_on "pkgconf" => :build
  depends_on "rust" => :build
  depends_on "ffmpeg"

  on_linux do
    depends_on "llvm" => :build
    depends_on "alsa-lib"
    depends_on "libx11"
    depends_on "libxcb"
    depends_on "libxcursor"
    depends_on "libxi"
    depends_on "libxkbcommon"
    depends_on "vulkan-loader"
    depends_on "wayland"
  end

  def install
    system "scripts/package", prefix
    # Homebrew looks for these in a folder of its own.
    bash_completion.install share/"bash-completion/completions/histoscope"
  end

  test do
    assert_match "FFmpeg: ", shell_output("#{bin}/histoscope --version")
    assert_match "histoscope: ", shell_output("#{bin}/histoscope snapshot missing.mp4 2>&1", 1)
  end
end
